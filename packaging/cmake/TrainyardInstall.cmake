# What `cmake --install` and `cpack` put where, in two components, each a package of its own:
#   desk    the window and the command line, with man pages, completion and what desktops show of a program
#   engine  the node bundle: what runs on this machine and is sent to others
# Programs find each other and their data by their own folder, so everything is under lib/trainyard, with a link in bin;
# the tree may be moved as a whole.
set(TRAINYARD_HOME "lib/trainyard")

# What Debian wants of every package. Whoever builds packages for others says how to be reached, as for Debian's own tools.
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
    set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(TRAINYARD_MAINTAINER "${contact}" CACHE STRING "Maintainer of the Debian packages, \"Name <address>\"")
set(CPACK_PACKAGE_CONTACT "${TRAINYARD_MAINTAINER}")
if(NOT CPACK_PACKAGE_CONTACT)
    set(CPACK_PACKAGE_CONTACT "The Trainyard developers <trainyard@example.org>")
endif()
string(TIMESTAMP TRAINYARD_RELEASE_TIME "%a, %d %b %Y 00:00:00 +0000" UTC)

function(trainyard_install_package_texts component package)
    set(texts "${CMAKE_BINARY_DIR}/debian/${package}")
    configure_file(packaging/debian/changelog.in "${texts}/changelog" @ONLY)
    execute_process(COMMAND gzip -9nf "${texts}/changelog" COMMAND_ERROR_IS_FATAL ANY)
    file(READ packaging/debian/copyright copyright)
    foreach(more ${ARGN})
        file(READ "packaging/debian/${more}" text)
        string(APPEND copyright "${text}")
    endforeach()
    file(WRITE "${texts}/copyright" "${copyright}")
    install(FILES "${texts}/changelog.gz" "${texts}/copyright" DESTINATION share/doc/${package} COMPONENT ${component})
endfunction()

function(trainyard_install_desk)
    install(TARGETS trainyard RUNTIME DESTINATION "${TRAINYARD_HOME}/bin" COMPONENT desk)
    install(DIRECTORY resources/presets resources/samples resources/schema
        DESTINATION "${TRAINYARD_HOME}/share/trainyard" COMPONENT desk FILES_MATCHING PATTERN "*.json" PATTERN "*.bz2")
    trainyard_install_link(desk ../lib/trainyard/bin/trainyard bin/trainyard)

    string(TIMESTAMP TRAINYARD_RELEASE_DATE "%Y-%m-%d" UTC)
    configure_file(resources/desktop/org.trainyard.Trainyard.metainfo.xml org.trainyard.Trainyard.metainfo.xml @ONLY)
    install(FILES resources/desktop/trainyard.desktop DESTINATION share/applications COMPONENT desk)
    install(FILES resources/desktop/trainyard.svg DESTINATION share/icons/hicolor/scalable/apps COMPONENT desk)
    install(FILES "${CMAKE_BINARY_DIR}/org.trainyard.Trainyard.metainfo.xml" DESTINATION share/metainfo COMPONENT desk)
    trainyard_install_package_texts(desk trainyard)

    set(pages "${CMAKE_BINARY_DIR}/manual")
    install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/packaging/manual\" \"$<TARGET_FILE:trainyard>\" \"${pages}\"
        COMMAND_ERROR_IS_FATAL ANY)" COMPONENT desk)
    install(DIRECTORY "${pages}/man1" DESTINATION share/man COMPONENT desk)
    install(FILES "${pages}/completion/bash" DESTINATION share/bash-completion/completions RENAME trainyard COMPONENT desk)
    install(FILES "${pages}/completion/zsh" DESTINATION share/zsh/vendor-completions RENAME _trainyard COMPONENT desk)
    install(FILES "${pages}/completion/fish" DESTINATION share/fish/vendor_completions.d RENAME trainyard.fish
        COMPONENT desk)
endfunction()

function(trainyard_install_engine)
    set(bundle "${CMAKE_BINARY_DIR}/bundle")
    install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/packaging/bundle\" --build \"${CMAKE_BINARY_DIR}\"
        \"${bundle}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT engine)
    install(DIRECTORY "${bundle}/" DESTINATION "${TRAINYARD_HOME}/bundle" COMPONENT engine USE_SOURCE_PERMISSIONS)
    foreach(program trainyard-agent trainyard-prepare trainyard-worker)
        trainyard_install_link(engine ../bundle/bin/${program} ${TRAINYARD_HOME}/bin/${program})
    endforeach()
    trainyard_install_package_texts(engine trainyard-engine copyright-of-libraries)
    install(FILES packaging/debian/trainyard-engine.lintian-overrides DESTINATION share/lintian/overrides
        RENAME trainyard-engine COMPONENT engine)
endfunction()

# Relative, so that it stays true wherever the tree is.
function(trainyard_install_link component target name)
    get_filename_component(folder "${name}" DIRECTORY)
    install(CODE "
        set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
        file(MAKE_DIRECTORY \"\${prefix}/${folder}\")
        file(CREATE_LINK \"${target}\" \"\${prefix}/${name}\" SYMBOLIC)" COMPONENT ${component})
endfunction()

if(TRAINYARD_BUILD_APP)
    trainyard_install_desk()
endif()
if(TRAINYARD_BUILD_WORKER)
    trainyard_install_engine()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trainyard)
set(CPACK_PACKAGE_VENDOR Trainyard)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL)
if(TRAINYARD_BUILD_APP)
    list(APPEND CPACK_COMPONENTS_ALL desk)
endif()
if(TRAINYARD_BUILD_WORKER)
    list(APPEND CPACK_COMPONENTS_ALL engine)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0) # as many as there are cores
set(CPACK_DEBIAN_DESK_PACKAGE_NAME trainyard)
set(CPACK_DEBIAN_DESK_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DESK_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DESK_PACKAGE_DEPENDS "libqt6sql6-sqlite, libqt6svg6, openssh-client")
set(CPACK_DEBIAN_DESK_PACKAGE_RECOMMENDS "trainyard-engine (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DESK_DESCRIPTION "The window and the command line.")
set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME trainyard-engine)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SECTION science)
# The bundle has every library that it needs but the C library and MPI, which are of the machine that it runs on.
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "libc6 (>= 2.36), openmpi-bin, libopenmpi3")
set(CPACK_COMPONENT_ENGINE_DESCRIPTION "The engine, as it runs here and is sent to other machines.")
include(CPack)
