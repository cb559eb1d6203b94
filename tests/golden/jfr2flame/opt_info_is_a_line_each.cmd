# Texts of the recording have newlines; a fact has none: this many lines are
# not a fact's first.
jfr2flame -q --info data/jfr/spark-multichunk.jfr | sed '/^event  /,$d' |
	sed '1d; /^$/d' | grep -v '^  [A-Za-z]' | wc -l | tr -d ' '
