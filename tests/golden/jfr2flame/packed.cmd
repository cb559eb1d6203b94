sum() { awk '{ n += $NF } END { printf "%d lines, %.0f\n", NR, n }'; }
# Contents decide, never a file's name.
f=data/jfr/spark-lock.jfr
jfr2flame -q --collapsed $f >plain
pack() {
	command -v ${1%% *} >/dev/null || return
	$1 <$f >packed.jfr
	jfr2flame -q --collapsed packed.jfr | cmp - plain
	jfr2flame -q --collapsed <packed.jfr | cmp - plain
	cat packed.jfr | jfr2flame -q --collapsed | cmp - plain
}
pack 'gzip -c'
pack 'zstd -qc'
pack 'lz4 -qc'
pack 'xz -c'
pack 'bzip2 -c'
gzip <$f | gzip >packed.jfr
jfr2flame -q --collapsed packed.jfr | cmp - plain
jfr2flame -q --collapsed data/jfr/jdk25-cputime.jfr | sum
