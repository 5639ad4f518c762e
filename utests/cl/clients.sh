#!/bin/sh
# Runs programs that others wrote on a simulated device: they judge their own results.
# usage: clients.sh BUILD DEVICE [CLIENT...]     without clients: all of them, some minutes each
# docs/clients.md has the results.
set -u
build=$1 device=$2
shift 2
export OCL_ICD_VENDORS="$build/vendors" BEIGNET_CACHE=0 PYOPENCL_NO_CACHE=1
# Not xamax: its form for halves fails alike with Intel's driver (all others pass with ours).
all="clblast:xscal clblast:xcopy clblast:xaxpy clblast:xswap clblast:xhad clblast:xasum clblast:xnrm2 clblast:xdot
    clinfo:all pyopencl:pyopencl_algorithms opencv:opencv_umat hashcat:0 hashcat:100 hashcat:1400
    ffmpeg:unsharp=068d3b5092b7f5ec6b77c1ace85a2bf0 ffmpeg:sobel=ef96895c447d2a266b64b5bd728655ab
    ffmpeg:prewitt=54f3f64002eed4433cd5407d83746c79 ffmpeg:roberts=8f57e8b1f87d8689b9da6af69280e2bf
    ffmpeg:erosion=6d5304b7220f954c355aac060e956cb8 ffmpeg:dilation=f87abd00cbeb24d4e73b35aaedd56175
    darktable:cltest starpu:incrementer starpu:variable starpu:block starpu:fblock starpu:matvecmult starpu:vector_scal
    ufo:calculate ufo:fft
    clfft:-x,64 clfft:-x,32,-y,32 clfft:-x,8,-y,8,-z,8 clfft:-x,60,-b,2 clfft:-x,64,--inLayout,2,--outLayout,2"
[ $# -gt 0 ] || set -- $all
log=$(mktemp)
home=$(mktemp -d) # for what the clients keep
trap 'rm -rf "$log" "$home"' EXIT
here=$(dirname "$0")
export HOME="$home" STARPU_HOME="$home" STARPU_NCPU=0 STARPU_NCUDA=0 STARPU_NOPENCL=1 OPENCV_OPENCL_DEVICE=:GPU:0
starpu=/usr/lib/x86_64-linux-gnu/starpu/examples
# ffmpeg's sums are pocl's, of two frames of its test picture.
picture="-hide_banner -loglevel error -y -init_hw_device opencl=ocl:0.0 -filter_hw_device ocl -f lavfi
    -i testsrc=size=64x64:rate=5 -frames:v 2 -f md5"
status=0
for client; do
    name=${client%%:*} what=${client#*:}
    case "$name" in
    clblast) command="clblast_test_$what -platform 0 -device 0" good="100.0%" bad='[1-9][0-9]* test(s) failed' ;;
    clfft)   command="clFFT-client -g $(echo "$what" | tr , ' ')" good='\*PASS\*' bad='\*FAIL' ;;
    clinfo)  command=clinfo good='NULL platform behavior' bad='get CL_.*error' ;;
    pyopencl | opencv) command="$here/clients/$what.py" good='all right' bad=wrong ;;
    ffmpeg)  command="ffmpeg $picture -vf format=yuv420p,hwupload,${what%=*}_opencl,hwdownload,format=yuv420p -"
             good="MD5=${what#*=}" bad='Error' ;;
    darktable) command="darktable-$what" good='FINALLY: opencl is AVAILABLE' bad='discarding new device\|could not create program\|could not build' ;;
    starpu)  command="$starpu/$what" good='' bad='TEST FAILED' ;;
    ufo)     command="ufo-launch $(case "$what" in
                 calculate) echo "dummy-data width=32 height=32 number=2 init=2.0 ! calculate expression='v*3' !" ;;
                 fft) echo 'dummy-data width=64 height=64 number=1 init=2.0 ! fft dimensions=2 ! ifft dimensions=2 !' ;;
             esac) null download=true" good='Finished in' bad='ERROR' ;;
    hashcat) # of "abc"
             case "$what" in
             0) sum=$(printf abc | md5sum) ;;
             100) sum=$(printf abc | sha1sum) ;;
             1400) sum=$(printf abc | sha256sum) ;;
             esac
             command="hashcat --force -O -m $what -a 3 -n 1 -u 1 -T 32 --potfile-disable ${sum%% *} ?l?l?l"
             good='Recovered.*1/1' bad='[Ss]elf-test.*fail' ;;
    *)       echo "no such client: $client" >&2; exit 2 ;;
    esac
    command -v "${command%% *}" >/dev/null || { echo "skipped: needs ${command%% *}"; exit 77; }
    start=$(date +%s)
    # shellcheck disable=SC2086 # the command is words
    "$build/sim/gensim" --device "$device" --hang-limit 2000000000 -- $command >"$log" 2>&1
    result=$?
    if [ $result -eq 0 ] && grep -q "$good" "$log" && ! grep -q "$bad" "$log"; then
        echo "$client on $device: pass, $(($(date +%s) - start)) s"
    else
        echo "$client on $device: FAILED, status $result"
        tail -20 "$log"
        status=1
    fi
done
exit $status
