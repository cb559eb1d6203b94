# Several metrics, each a comparison of its own: tabs of a page, tables.
a=data/jfr/spark-multichunk.jfr b=data/jfr/spark-cpu-wall.jfr
flame-diff --events all -o all.html $a $b
grep -o '<title>.*</title>\|<p>[^<]*\|<script type="text/plain" class[^>]*>' all.html
# Groups, and pages with tabs, are compared as recordings are.
flame-graph --events all -o a.html $a
flame-graph --events all -o b.html $b
flame-diff --events all -o pages.html a.html b.html
grep -o '<script type="text/plain" class[^>]*>' pages.html
flame-diff --overlap keep --events wall,cpu -o groups.html $a $b -- $b $b
grep -o '<script type="text/plain" class[^>]*>' groups.html
# A page of one metric has no tabs.
flame-diff --events cpu -o one.html $a $b
grep -c 'class="data"' one.html
flame-diff --events all --top=2 $a $b
flame-diff --events cpu,wall --top=1 --normalize=time --sort total $a $b
flame-diff --events all -q $a $a
echo $?
flame-diff --events cpu,alloc -q $a $b
echo $?
# Two counts a line are two columns of one metric.
printf 'a 1 2\nb 3 4\n' | flame-graph -q --events all -o two.html
grep -o '<p>[0-9].*samples.*' two.html
# Metrics that are not there, and inputs of one metric, are reported.
flame-diff --events cpu,alloc,sleep --top=1 $a $b
flame-diff --events sleep --top $a $b
for format in text svg folded speedscope
do
	flame-diff --events all -f $format $a $b
done
flame-diff --events all --event cpu $a $b
echo $?
