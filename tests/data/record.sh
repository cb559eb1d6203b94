#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Record tests/data/jfr/ anew: all of it, or the files named.
#
#	tests/data/record.sh [FILE...]
#
# JDK17, JDK25	the two JDKs
# ASYNC_SO	libasyncProfiler.so 4.4, to be had by
#	mvn dependency:get -Dartifact=tools.profiler:async-profiler:4.4
#	unzip -j ~/.m2/repository/tools/profiler/async-profiler/4.4/*.jar \
#	    linux-x64/libasyncProfiler.so
#
# Each recording differs from the last: jfr/README holds the counts of the
# committed ones, and the expected answers of tests go by those.
# The program runs in an empty environment, and the JDK's recordings leave
# out environment and process list: the files are public.
set -eu

: "${JDK17:=/usr/lib/jvm/java-17-openjdk-amd64}"
: "${JDK25:=/usr/lib/jvm/temurin-25-jdk-amd64}"
: "${ASYNC_SO:=libasyncProfiler.so}"

here=$(cd "$(dirname "$0")" && pwd)
jfr=$here/jfr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ASYNC_SO=$(realpath "$ASYNC_SO")

"$JDK17/bin/javac" -g -d "$work/classes" \
    $(find "$here/src" -name '*.java')

# shaped JDK SECONDS THREADS IDLE [JVM-OPTION...]: in the background
shaped() {
	jdk=$1 secs=$2 threads=$3 idle=$4
	shift 4
	(cd "$work" && exec env -i "$jdk/bin/java" -XX:+UseSerialGC -Xmx128m \
	    "-Djava.io.tmpdir=$work" "$@" -cp classes \
	    SparkShaped "$secs" "$threads" "$idle" >"$work/out" 2>&1) &
	pid=$!
}

agent() {
	"$JDK17/bin/jcmd" "$pid" JVMTI.agent_load "$ASYNC_SO" "\"$1\"" \
	    >/dev/null
}

# async FILE SECONDS THREADS IDLE OPTIONS: attached once the program is warm,
# or the stacks of the compilers would be most of the file
async() {
	shaped "$JDK17" $(($2 + 12)) "$3" "$4"
	sleep 8
	agent "start,jfr,$5,file=$work/$1"
	sleep "$2"
	agent "stop"
	kill "$pid"
	wait "$pid" || :
}

# own JDK FILE SECONDS THREADS IDLE OPTIONS [JVM-OPTION...]
own() {
	jdk=$1 file=$2 secs=$3 threads=$4 idle=$5 options=$6
	shift 6
	shaped "$jdk" "$secs" "$threads" "$idle" "$@" \
	    "-XX:StartFlightRecording:filename=$work/$file,$options$quiet"
}
quiet=,jdk.InitialEnvironmentVariable#enabled=false
quiet=$quiet,jdk.InitialSystemProperty#enabled=false
quiet=$quiet,jdk.SystemProcess#enabled=false
quiet=$quiet,jdk.BooleanFlag#enabled=false,jdk.StringFlag#enabled=false
quiet=$quiet,jdk.IntFlag#enabled=false,jdk.UnsignedIntFlag#enabled=false
quiet=$quiet,jdk.LongFlag#enabled=false,jdk.UnsignedLongFlag#enabled=false
quiet=$quiet,jdk.DoubleFlag#enabled=false,jdk.ModuleExport#enabled=false
quiet=$quiet,jdk.ModuleRequire#enabled=false
quiet=$quiet,jdk.ClassLoaderStatistics#enabled=false
quiet=$quiet,jdk.NativeLibrary#enabled=false
quiet=$quiet,jdk.InitialSecurityProperty#enabled=false
quiet=$quiet,jdk.TenuringDistribution#enabled=false
quiet=$quiet,jdk.GCReferenceStatistics#enabled=false
quiet=$quiet,jdk.GCPhasePauseLevel1#enabled=false
quiet=$quiet,jdk.GCPhasePauseLevel2#enabled=false
quiet=$quiet,jdk.MetaspaceChunkFreeListSummary#enabled=false

record() {
	case $1 in
	spark-cpu-wall.jfr)	# what Spark RAPIDS asks for by default
		async "$1" 8 3 2 event=cpu,wall=10ms ;;
	spark-alloc-live.jfr)
		async "$1" 4 2 1 event=alloc,alloc=512k,live ;;
	spark-lock.jfr)
		async "$1" 3 6 1 lock=100us,nativelock=0 ;;
	spark-nativemem.jfr)
		async "$1" 1 1 1 nativemem=128k ;;
	spark-multichunk.jfr)
		# 5s is the least that async-profiler takes
		async "$1" 11 2 1 \
		    event=ctimer,interval=50ms,wall=200ms,alloc=8m,chunktime=5s ;;
	spark-trace.jfr)
		async "$1" 3 2 1 \
		    event=ctimer,interval=20ms,trace=org.apache.spark.scheduler.Task.run,trace=org.apache.spark.storage.BlockManager.writeToDisk:1ms ;;
	spark-inflight.jfr)
		shaped "$JDK17" 20 2 1
		sleep 8
		agent "start,jfr,event=ctimer,interval=50ms,wall=200ms,chunktime=5s,file=$work/live.jfr"
		sleep 8
		cp "$work/live.jfr" "$work/$1"
		kill -9 "$pid"
		wait "$pid" || : ;;
	spark-killed.jfr)
		shaped "$JDK17" 20 2 1
		sleep 8
		agent "start,jfr,event=ctimer,interval=20ms,file=$work/$1"
		sleep 2
		kill -9 "$pid"
		wait "$pid" || : ;;
	jdk17-profile.jfr.gz)
		own "$JDK17" "${1%.gz}" 6 2 3 settings=profile
		wait "$pid"
		gzip -9n "$work/${1%.gz}" ;;
	jdk25-cputime.jfr)	# gzip in spite of its name, as JMC likes it
		own "$JDK25" "$1" 5 2 3 \
		    'settings=profile,jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=20ms,method-trace=org.apache.spark.scheduler.Task::run'
		wait "$pid"
		gzip -9n "$work/$1"
		mv "$work/$1.gz" "$work/$1" ;;
	jdk17-multichunk.jfr.gz)
		own "$JDK17" "${1%.gz}" 7 2 1 settings=profile \
		    -XX:FlightRecorderOptions:maxchunksize=1M
		for i in 1 2; do
			sleep 2
			"$JDK17/bin/jcmd" "$pid" JFR.dump \
			    "filename=$work/dump$i.jfr" >/dev/null
		done
		wait "$pid"
		gzip -9n "$work/${1%.gz}" ;;
	jdk25-inflight.jfr.gz)	# header state 1..254: the chunk's last flush
		mkdir "$work/repo"
		own "$JDK25" live.jfr 12 1 1 settings=profile \
		    "-XX:FlightRecorderOptions:repository=$work/repo"
		sleep 4
		cp "$work"/repo/*/*.jfr "$work/${1%.gz}"
		kill -9 "$pid"
		wait "$pid" || :
		gzip -9n "$work/${1%.gz}" ;;
	*)
		echo "record.sh: no such recording: $1" >&2
		exit 2 ;;
	esac 2>>"$work/err" || { cat "$work/out" "$work/err" >&2; exit 1; }
	mv "$work/$1" "$jfr/$1"
	chmod 644 "$jfr/$1"
	ls -l "$jfr/$1"
}

[ $# -gt 0 ] || set -- spark-cpu-wall.jfr spark-alloc-live.jfr \
    spark-lock.jfr spark-nativemem.jfr spark-multichunk.jfr spark-trace.jfr \
    spark-inflight.jfr spark-killed.jfr jdk17-profile.jfr.gz \
    jdk25-cputime.jfr jdk17-multichunk.jfr.gz jdk25-inflight.jfr.gz
for file; do
	record "$file"
done
