# The C library and OpenMPI that `bundle` puts into a bundle, so that hosts need neither; to be sourced after
# libraries.sh. The caller has defined `build`, `programs`, `wanted` (libraries of lib/) and `for_cuda`.

# Symbol lookup, threads, mathematics and names; what the loader of this version belongs to. libmvec and the last three
# do not exist everywhere.
c_library_names=(libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libresolv.so.2
    libmvec.so.1 libanl.so.1 libnss_files.so.2 libnss_dns.so.2)

# forget_folders LOADER: it looks for libraries where it is told to and nowhere else. Otherwise plug-ins of the host's own C
# library (for users, host names, devices) would be loaded next to ours; on a host with musl even its C library.
forget_folders() {
    LC_ALL=C sed -i -E 's#/lib(64|x32)?/([a-z0-9_]+-linux-gnu[a-z0-9]*/)?\x00#/nil\1/\2\x00#g' "$1"
    chmod 755 "$1"
    local folders
    folders=$("$1" --inhibit-cache --help | sed -n 's/^ *\(.*\) (system search path).*/\1/p')
    case $folders in
        ''|*/lib/*|*/lib64*|*/lib) fail "the loader still searches $folders" ;;
    esac
}

# bring_c_library FOLDER
bring_c_library() {
    local loader options name from
    loader=$(readelf -l "$build/bin/trainyard-worker" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
    [ -e "$loader" ] || fail "trainyard-worker names no loader"
    # Not in a pipe: grep would leave after the match, and the loader end by SIGPIPE.
    options=$("$loader" --help)
    [[ $options == *--argv0* ]] ||
        fail "this C library is older than 2.33 and its loader cannot start programs under their own names; --without-system leaves it out"
    mkdir "$1"
    install -m 755 "$(readlink -f "$loader")" "$1/$(basename "$loader")"
    forget_folders "$1/$(basename "$loader")"
    from=$(dirname "${found[libc.so.6]}")
    for name in "${c_library_names[@]}"; do
        if [ -e "$from/$name" ]; then install -m 644 "$(readlink -f "$from/$name")" "$1/$name"; fi
    done
    install -s -m 644 "$build/lib/libtrainyard_start.so" "$1/"
}

# Networks that need the host's own libraries or that Debian switches off; job managers, which bring their own MPI;
# monitoring, OpenSHMEM and ROMIO, which the engine does not use.
is_superfluous() {
    case $1 in
        *_ucx.so|*_ofi.so|mca_mtl_psm*|mca_btl_openib.so|mca_btl_uct.so|mca_*_usnic.so|mca_*_portals4.so) ;;
        *_slurm.so|*_flux.so|*_jsm.so|*_gridengine.so|*_tm.so|*_lsf.so|*_alps.so) ;;
        *_monitoring.so|mca_atomic_*|mca_memheap_*|mca_scoll_*|mca_spml_*|mca_sshmem_*|mca_io_romio*|libompi_dbg*) ;;
        *_cuda.so|mca_vprotocol_*|mca_crs_*|mca_ras_simulator.so) ;;
        *) return 1 ;;
    esac
}

# bring FILE TARGET: with what it needs, and without the folders of this machine that it was linked with.
bring() {
    remember "$1"
    collect "$1"
    install -D -m "${3-644}" "$(readlink -f "$1")" "$2"
    patchelf --remove-rpath "$2"
}

# bring_mpi FOLDER: programs, plug-ins and texts of the OpenMPI that the worker was linked with, and libraries that are
# not in lib/ already. OpenMPI takes all its folders from variables that the agent sets (remote/agent/programs).
bring_mpi() {
    local mpirun orted plugins plugin pmix name
    mpirun=$(command -v mpirun) && orted=$(command -v orted) && command -v ompi_info > /dev/null ||
        fail "mpirun, orted or ompi_info is missing; packaging/setup installs OpenMPI, --without-system leaves it out"
    [[ $("$mpirun" --version) == *'(Open MPI) 4.'* ]] || fail "$mpirun is not OpenMPI 4; --without-system leaves it out"
    local -A of_lib=()
    for name in "${!wanted[@]}"; do of_lib[$name]=${wanted[$name]}; done
    local in_lib=yes
    wanted=()
    remember "$build/bin/trainyard-worker"
    for name in $(needed_by "$build/bin/trainyard-worker"); do
        case $name in libmpi*) wanted[$name]=${found[$name]}; collect "${found[$name]}" ;; esac
    done
    bring "$mpirun" "$1/bin/mpirun" 755
    bring "$orted" "$1/bin/orted" 755
    plugins=$(ompi_info --path all --parsable | sed -n 's/^path:pkglibdir://p' | head -n 1)
    for plugin in "$plugins"/mca_*.so; do
        name=$(basename "$plugin")
        if ! is_superfluous "$name"; then bring "$plugin" "$1/lib/openmpi/$name"; fi
    done
    pmix=$(dirname "$(readlink -f "${wanted[libpmix.so.2]-/}")")
    for plugin in "$pmix"/pmix/*mca_*.so; do
        name=$(basename "$plugin")
        if [ -e "$plugin" ] && ! is_superfluous "$name"; then bring "$plugin" "$1/lib/pmix/$name"; fi
    done
    mkdir -p "$1/share/openmpi" "$1/share/pmix" "$1/etc"
    install -m 644 "$(ompi_info --path all --parsable | sed -n 's/^path:pkgdatadir://p' | head -n 1)"/help-*.txt "$1/share/openmpi/"
    if [ -d "$pmix/../share/pmix" ]; then install -m 644 "$pmix"/../share/pmix/help-*.txt "$1/share/pmix/"; fi
    # Instead of the host's own: of all settings here, only this one is not the default.
    echo 'btl_base_warn_component_unused = 0' > "$1/etc/openmpi-mca-params.conf"
    install_wanted "$1/lib"
    for name in "${!wanted[@]}"; do patchelf --remove-rpath "$1/lib/$name"; done
    wanted=()
    for name in "${!of_lib[@]}"; do wanted[$name]=${of_lib[$name]}; done
}

# bring_verbs FOLDER: NCCL opens InfiniBand's library by name, and that the plug-in for Mellanox devices. For hosts with
# devices alone.
bring_verbs() {
    local verbs drivers driver name
    verbs=$(ldconfig -p | sed -n 's/^\tlibibverbs.so.1 (libc6,.*) => //p' | head -n 1)
    drivers=("$(dirname "${verbs:-/}")"/libibverbs/libmlx5-rdmav*.so)
    driver=${drivers[0]}
    [ -e "$driver" ] || return 0
    local -A of_lib=()
    for name in "${!wanted[@]}"; do of_lib[$name]=${wanted[$name]}; done
    local in_lib=yes
    wanted=([libibverbs.so.1]=$verbs [$(basename "$driver")]=$driver)
    remember "$driver"
    collect "$driver"
    for name in "${!wanted[@]}"; do
        if [ ! -e "$1/$name" ]; then
            install -m 644 "$(readlink -f "${wanted[$name]}")" "$1/$name"
            for_cuda[mpi/lib/$name]=1
        fi
    done
    wanted=()
    for name in "${!of_lib[@]}"; do wanted[$name]=${of_lib[$name]}; done
}
