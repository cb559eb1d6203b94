# The text of jdk.ThreadDump is thread dumps: with the event's time.
mkjfr data/jfr-text/thread_dump.txt > a.jfr
mkjfr data/jfr-text/thread_dump_alone.txt > b.jfr
flame-fold a.jfr 2>&1
flame-fold --event list b.jfr
flame-fold --by thread,state --event threads a.jfr 2>&1
flame-fold --state waiting b.jfr
flame-fold --from +1s b.jfr 2>&1
echo $?
