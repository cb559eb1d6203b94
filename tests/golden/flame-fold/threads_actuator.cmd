flame-fold --classify --by thread,state --lines data/threads/actuator.json
sed '1s/.*/[/; $s/.$//' data/threads/actuator.json | flame-fold -q
