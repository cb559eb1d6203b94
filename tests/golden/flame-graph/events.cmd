# Several metrics in one page; each comes back as its own.
page() { flame-graph -f html "$@"; }
page --events all data/jfr/spark-multichunk.jfr >all.html
grep -o '<script type="text/plain"[^>]*>' all.html
flame-fold --event list all.html
flame-fold -q all.html | awk '{ n += $NF } END { print n }'
# In the order of the list; what is not there is reported.
page --events alloc,sleep,cpu --total data/jfr/spark-multichunk.jfr |
	grep -o '<script type="text/plain"[^>]*>'
# One is a page as ever, and so is none.
page --events wall data/jfr/spark-multichunk.jfr >one.html
page -q --event wall data/jfr/spark-multichunk.jfr | cmp - one.html
page --empty ok --events sleep data/jfr/spark-multichunk.jfr | grep -c '<script'
echo 'a;b 3' | page --events all | flame-fold
# What holds one metric refuses, and so does what says two things.
for format in svg text folded
do
	flame-graph -f $format --events all data/jfr/spark-multichunk.jfr
done
page --events all --event cpu data/jfr/spark-multichunk.jfr
page --events all --leak data/jfr/spark-multichunk.jfr
page --events '' data/jfr/spark-multichunk.jfr
jfr2flame --compat jfrconv --events all data/jfr/spark-multichunk.jfr x.html
jfr2flame --alloc --events all data/jfr/spark-multichunk.jfr x.html
jfr2flame --diff --events all data/jfr/spark-multichunk.jfr \
	data/jfr/spark-cpu-wall.jfr x.html
ls
# A page whose second metric is cut is reported.
head -c 40000 all.html >cut.html
tail -c 9000 all.html | head -c 200 >>cut.html
flame-fold cut.html >out
