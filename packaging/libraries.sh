# The walk over shared libraries that `bundle` and `portable` share; to be sourced. The caller defines
#   stays_out NAME    whether that library is of the machine that the result runs on
# and finds in `wanted` what comes along: wanted[name] = path.
declare -A found wanted

needed_by() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# remember FILE: where the loader finds what FILE needs, with all that this needs in turn.
remember() {
    local name arrow path
    while read -r name arrow path; do
        path=${path% (0x*}
        if [ "$arrow" = "=>" ] && [ -e "$path" ]; then found[$name]=$path; fi
    done < <(ldd "$1" 2>/dev/null || true)
}

# collect FILE: the loader knows where each name is found; the walk decides which of them come along.
collect() {
    local name
    for name in $(needed_by "$1"); do
        if stays_out "$name" || [ -n "${wanted[$name]-}" ]; then continue; fi
        [ -n "${found[$name]-}" ] || fail "$1 needs $name, but the loader does not find it"
        wanted[$name]=${found[$name]}
        collect "${found[$name]}"
    done
}

# The C library belongs to the kernel and the loader.
is_c_library() {
    case $1 in
        ld-linux*|linux-vdso*|libc.so.*|libm.so.*|libpthread.so.*|libdl.so.*|librt.so.*|libresolv.so.*|libutil.so.*|libmvec.so.*|libanl.so.*) ;;
        *) return 1 ;;
    esac
}

# install_wanted FOLDER
install_wanted() {
    local name
    for name in "${!wanted[@]}"; do
        install -m 644 "$(readlink -f "${wanted[$name]}")" "$1/$name"
    done
}

# set_rpath FILE PATH: found from there alone, not from the folders of the machine that built it; a static program needs
# none. DT_RPATH, because DT_RUNPATH is not asked for what the libraries themselves need.
set_rpath() {
    [ -n "$(needed_by "$1")" ] || return 0
    command -v patchelf > /dev/null || fail "patchelf is missing; packaging/setup installs it"
    patchelf --force-rpath --set-rpath "$2" "$1"
}
