# Stacks and counts as spreadsheets, pandas and Spark write them.
printf '"main;work",5\r\n"main;say ""a, b""",7\r\n' | flame-fold
printf 'stack,count\nmain;f(int, int),5\nmain;g,7\n' | flame-fold
printf '"stack","count"\n"main;work",5\n' | flame-fold
# A remark after each count.
printf 'a;b 5 #c\na;d #1 7 # all of it\n' | flame-fold
# Neither: names with a comma or a number sign.
printf 'a;f(1,2 5\na;#g 7\n' | flame-fold
