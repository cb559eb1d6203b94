# What a remark offers has samples to draw.
jfr2flame -o collapsed data/jfr/jdk17-profile.jfr.gz 2>&1 >/dev/null |
	sed 's/.*there is also //; s/: choose.*//' | tr -s ', ' '\n\n' |
	grep '[a-z]' |
while read -r event
do
	jfr2flame -q --event $event -o collapsed data/jfr/jdk17-profile.jfr.gz |
		grep -q . || echo "$event: none"
done
