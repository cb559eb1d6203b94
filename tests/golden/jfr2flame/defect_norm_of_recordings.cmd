for f in spark-cpu-wall.jfr jdk17-profile.jfr.gz jdk25-cputime.jfr
do
	jfr2flame -q --norm --cpu --collapsed data/jfr/$f | tr ';' '\n' |
		grep -o 'Lambda[$./+0-9][0-9$./+x].*' | sort | uniq -c
done
