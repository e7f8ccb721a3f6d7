# Debian packages of what `cmake --install` puts where, one per component: `make package`. Only a build with the prefix /usr
# has the folders of Debian.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr" OR NOT BUILD_SHARED_LIBS)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME moblo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "moblo maintainers <moblo@example.org>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development documentation)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# moblo_package(COMPONENT NAME SECTION "summary" "description" [KEY VALUE ...])
macro(moblo_package component name section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
  foreach(file copyright changelog.gz)
    install(FILES ${PROJECT_BINARY_DIR}/package/${file} DESTINATION share/doc/${name} COMPONENT ${component})
  endforeach()
endmacro()

set(soname libmoblo${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
moblo_package(program moblo science "multi-objective bi-level optimisation: the program"
  "Learns sample weights, loss weights and other hyper-parameters by gradients,\nagainst several objectives at once: FORUM and the methods it is compared with,\ntheir experiments, and a tool that finds wrong labels in data.")
moblo_package(library ${soname} libs "multi-objective bi-level optimisation: the library"
  "FORUM and other gradient methods for problems with several upper objectives\nand a model to be trained at the lower level, on LibTorch's tensors.")
moblo_package(development libmoblo-dev libdevel "multi-objective bi-level optimisation: headers"
  "Headers, CMake and pkg-config files of the moblo library.")
moblo_package(documentation moblo-doc doc "multi-objective bi-level optimisation: documentation"
  "Tutorial, methods, problems, file formats, decisions and measured results, with\nexamples in C++ and Python.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${soname} (= ${PROJECT_VERSION}), libtorch-dev, libeigen3-dev, nlohmann-json3-dev, libfmt-dev")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libopenblas0-openmp")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "moblo-doc, python3-moblo")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs
     "libmoblo ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${soname} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${PROJECT_BINARY_DIR}/package/triggers;${PROJECT_BINARY_DIR}/package/shlibs")

if(MOBLO_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  moblo_package(python python3-moblo python "multi-objective bi-level optimisation: Python package"
    "moblo's methods on the tensors and modules of PyTorch.")
  set(packages lib/python3/dist-packages)
  install(TARGETS moblo_python LIBRARY DESTINATION ${packages}/moblo COMPONENT python)
  install(DIRECTORY ${MOBLO_PYTHON_DIR}/moblo DESTINATION ${packages} COMPONENT python
          PATTERN __pycache__ EXCLUDE PATTERN "*.so" EXCLUDE)
  # The extension module is made for one minor version of Python, and for the torch of its package.
  execute_process(COMMAND dpkg-query -W -f "\${Version}" python3-torch OUTPUT_VARIABLE python_torch)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sys; print(f'{sys.version_info[1]};{sys.version_info[1] + 1}', end='')"
                  OUTPUT_VARIABLE python_minor COMMAND_ERROR_IS_FATAL ANY)
  list(GET python_minor 0 this_python)
  list(GET python_minor 1 next_python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${this_python}), python3 (<< 3.${next_python}), python3-torch (= ${python_torch}), python3-numpy")
endif()

install(DIRECTORY docs/ DESTINATION share/doc/moblo-doc/docs COMPONENT documentation)
install(DIRECTORY examples/ DESTINATION share/doc/moblo-doc/examples COMPONENT documentation
        PATTERN __pycache__ EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/moblo-doc COMPONENT documentation)

configure_file(cmake/copyright.in ${PROJECT_BINARY_DIR}/package/copyright @ONLY)
file(TIMESTAMP ${PROJECT_SOURCE_DIR}/CHANGELOG.md changed "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/changelog.in ${PROJECT_BINARY_DIR}/package/changelog @ONLY)
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/package/changelog COMMAND_ERROR_IS_FATAL ANY)
include(CPack)
