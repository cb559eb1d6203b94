flame-fold --event samples $DATA/pprof-legacy/little64.prof 2>&1
flame-fold --event cpu $DATA/pprof-legacy/java-big32.prof
flame-fold $DATA/pprof-text/threads.txt 2>&1
# Mappings in any order: an address without a name is its library, if it has one.
word() {
	for n
	do
		printf "\\$(printf %o $((n % 256)))\\$(printf %o $((n / 256)))\\0\\0"
	done
}
{
	word 0 3 0 10000 0  1 1 0x1500  2 1 0x3500  4 1 0x2500  8 1 6  0 1 0
	echo '3000-4000 r--p 0 08:01 1 /lib/c.so'
	echo '1000-2000 r--p 0 08:01 2 /lib/a.so'
	echo ' 0x6 main (x.c:3)'
} >unsorted.prof
flame-fold -q --event samples unsorted.prof
