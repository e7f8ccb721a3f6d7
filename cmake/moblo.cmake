# What every room shares: dependencies, warnings, the precompiled torch header, and how a room is declared.

macro(moblo_find_dependencies)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # a project that adds this folder links what we link
  find_package(Eigen3 3.4 REQUIRED)
  find_package(nlohmann_json 3.11 REQUIRED)
  find_package(fmt REQUIRED)
  set(MOBLO_FMT fmt::fmt)
  find_package(ZLIB REQUIRED)
  find_package(Threads REQUIRED)
  if(NOT MOBLO_FUZZ)
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    if(NOT TARGET torch)  # a second find_package(Torch) in one project is an error in the packaged configuration
      find_package(Torch REQUIRED)
    endif()
    # A wheel of the old C++ ABI: all rooms follow, and libraries of the system that hand over strings cannot be linked.
    if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
      add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)
      set(MOBLO_FMT fmt::fmt-header-only)
    endif()
  endif()
  if(MOBLO_SEARCH AND NOT MOBLO_FUZZ)
    find_package(Pagmo REQUIRED)
  endif()
  if(MOBLO_LAB)
    moblo_find_dependencies_of_lab()
  endif()
endmacro()

macro(moblo_find_dependencies_of_lab)
  find_package(CLI11 REQUIRED)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
  # by file: Debian parts the packages of these two so that their own CMake files name what need not be installed
  find_path(MOBLO_OPENCV_INCLUDE opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4 REQUIRED)
  find_library(MOBLO_OPENCV_IMGCODECS opencv_imgcodecs REQUIRED)
  find_path(MOBLO_ZIP_INCLUDE zip.h REQUIRED)
  # Optional: boosted trees as judges of tables. By file, because its CMake package asks for what it need not.
  find_path(MOBLO_XGBOOST_INCLUDE xgboost/c_api.h)
  find_library(MOBLO_XGBOOST xgboost)
  if(NOT MOBLO_XGBOOST OR NOT MOBLO_XGBOOST_INCLUDE)
    message(STATUS "No XGBoost (libxgboost-dev): moblo clean has no boosted trees")
  endif()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(MOBLO_MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
endmacro()

macro(moblo_compile_options)
  add_compile_options(-fPIC)  # programs too: the precompiled header serves both, and -fPIE would part them
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
  if(MOBLO_WARNINGS_AS_ERRORS)
    add_compile_options(-Werror)
  endif()
  if(MOBLO_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
                        -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=address,undefined)
  endif()
  if(MOBLO_SANITIZE)
    add_compile_options(-fsanitize=${MOBLO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=${MOBLO_SANITIZE})
    add_compile_options(-Wno-maybe-uninitialized)  # g++ 12 warns of torch's c10::optional, only where it is instrumented
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)  # lets ccache see through the precompiled header
    add_compile_options(-Wno-restrict)     # g++ 12 warns of std::string's own operator+ (GCC bug 105651)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      add_compile_options(-Wno-dangling-reference)  # takes an entry of a catalogue for part of the name it was found by
      add_compile_options(-Wno-array-bounds)        # warns of std::vector<bool> in torch's autograd::Function; g++ 12 keeps the check
    endif()
  endif()
  find_program(MOBLO_CCACHE ccache)
  if(MOBLO_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${MOBLO_CCACHE})
  endif()
endmacro()

# torch's own headers are not warning-free: they count as system headers.
add_library(moblo_torch INTERFACE)
set_target_properties(moblo_torch PROPERTIES EXPORT_NAME torch_dependency)

function(moblo_setup_torch)
  if(MOBLO_FUZZ)
    return()
  endif()
  target_link_libraries(moblo_torch INTERFACE torch OpenMP::OpenMP_CXX)  # without it at::parallel_for runs on one thread
  target_compile_definitions(moblo_torch INTERFACE EIGEN_DONT_PARALLELIZE)
  add_library(moblo_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  target_link_libraries(moblo_pch PUBLIC moblo_torch)
  target_precompile_headers(moblo_pch PRIVATE <torch/torch.h>)
endfunction()

# Parsing torch.h costs 10-20 s per file; one precompiled header serves all targets.
function(moblo_use_torch target)
  target_link_libraries(${target} PUBLIC moblo_torch)
  target_precompile_headers(${target} REUSE_FROM moblo_pch)
endfunction()

# For tests and glue, where nothing is hot: -O1 takes half the compile time of -O3.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-munroll-only-small-loops MOBLO_SMALL_LOOPS)
function(moblo_compile_quickly target)
  if(NOT TARGET ${target})  # rooms with torch are not there where MOBLO_FUZZ is
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(MOBLO_SMALL_LOOPS)  # part of -O3: g++ 13 refuses the precompiled header where it differs
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-munroll-only-small-loops>)
  endif()
endfunction()

# moblo_room(NAME [TORCH] [SOURCES more.cpp ...] LINK room ... library ...): the folder moblo/NAME, or NAME itself for
# lab/NAME and cli, as one static library moblo_NAME. All its .cpp files belong to it, unless SOURCES names them (cli) or
# adds to them (generated files).
function(moblo_room name)
  cmake_parse_arguments(ROOM "TORCH" "" "SOURCES;LINK" ${ARGN})
  if(ROOM_TORCH AND MOBLO_FUZZ)
    return()  # clang 14 cannot read torch's headers as C++20
  endif()
  string(REPLACE "/" "_" target moblo_${name})
  if(name STREQUAL "cli")
    set(sources ${ROOM_SOURCES})
  else()
    set(folder ${PROJECT_SOURCE_DIR}/${name})
    if(NOT name MATCHES "^lab/")
      set(folder ${PROJECT_SOURCE_DIR}/moblo/${name})
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${ROOM_SOURCES})
  endif()
  if(name STREQUAL "methods" AND NOT MOBLO_SEARCH)
    list(FILTER sources EXCLUDE REGEX "/(nsga2|genetic)\\.cpp$")
  endif()
  set(libraries)
  foreach(item ${ROOM_LINK})
    string(REPLACE "/" "_" room moblo_${item})
    if(TARGET ${room})
      list(APPEND libraries ${room})
    else()
      list(APPEND libraries ${item})
    endif()
  endforeach()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${libraries})
  if(ROOM_TORCH)
    moblo_use_torch(${target})
  endif()
endfunction()
