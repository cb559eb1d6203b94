exec 2>&1
# Profiles of unlike metrics are not compared; --event names one of both.
jfr=data/jfr/spark-multichunk.jfr
flame-fold --header --event cpu -o cpu $jfr
flame-fold --header --event wall -o wall $jfr
flame-diff cpu wall || echo $?
flame-diff -o x.html cpu wall || ls x.html
flame-diff --event wall cpu wall || echo $?
flame-diff $jfr data/jfr/spark-lock.jfr || echo $?
flame-diff $jfr cpu -- wall wall || echo $?
jfr2flame --diff -f folded cpu wall || echo $?
# One that has several is compared by the one that both have.
flame-diff -q $jfr wall --event wall && echo same
# With nothing, if that is meant; and stacks that are gone are not a metric.
flame-diff -q --empty ok cpu wall || echo differs
flame-diff -q --root C2Compiler::compile_method cpu cpu && echo same
printf 'a 1\n' | flame-diff - - || echo $?
