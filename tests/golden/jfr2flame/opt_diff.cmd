# Two columns: the first input, and the second.  x with x has no difference.
printf 'a;b 1\na;c 3\nL$$Lambda$7.0x00007f8177090218.m_[j] 1\n' >one
printf 'a;b 4\nd 2\nL$$Lambda$9.0x00007f8177091218.m_[j] 1\n' >two
jfr2flame --diff one two -o collapsed
jfr2flame --diff one two out.collapsed && jfr2flame --diff one two --collapsed | cmp - out.collapsed
jfr2flame -q --cpu --diff data/jfr/spark-trace.jfr data/jfr/spark-trace.jfr --collapsed |
	awk '$NF != $(NF - 1)'
jfr2flame --diff one two -o svg | head -c 5; echo
