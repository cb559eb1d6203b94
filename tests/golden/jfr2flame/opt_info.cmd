# Headings of what is printed; the texts are in other tests.
jfr2flame -q --info data/jfr/spark-cpu-wall.jfr |
	sed -n 's/^  \([A-Za-z][A-Za-z ]*[A-Za-z]\)  .*/\1/p; /^event  /,$p' | uniq
