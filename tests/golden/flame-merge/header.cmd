# It comes first; that of an empty part has no metric; inputs without one fit.
printf '# libflame folded 1; metric=cpu; unit=samples; key=app,stage\n' >cpu
cp cpu two
printf 'x\t1\ta;b\t5\ny\t1\ta\t1\n' >>cpu
printf 'x\t1\ta;b\t7\nz\t1\t\t1\nz\ta\t1\n' >>two
printf '# libflame folded 1; key=app,stage\t\n' >empty
flame-merge --key empty cpu two
cat empty cpu two | flame-merge --key --stream
flame-merge empty
