# A gzip without its end.
gzip -nc data/jfr/spark-multichunk.jfr | head -c 40000 >cut.jfr
jfr2flame --cpu --collapsed cut.jfr 2>said >out; echo $?
grep -o 'the gzip data end early' said
jfr2flame --cpu --collapsed --partial fail cut.jfr 2>said >out; echo $?
printf 'a 1\nb 2\n' | gzip -nc | head -c 20 >cut.folded
jfr2flame -q --collapsed --input-format folded --partial fail cut.folded >out; echo $?
