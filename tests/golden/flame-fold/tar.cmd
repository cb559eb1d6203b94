# Members of archives are inputs, with their names.
app=application_1_7
long=$(printf 'folder-%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
mkdir -p $app/$long
echo 'a;b 3' >$app/profile-exec-1.folded
echo 'a;b 4' | gzip -n >$app/profile-exec-2.folded.gz
echo 'a;c 5' >"$app/$long/profile-exec-3.folded"
for format in ustar pax gnu; do
	tar --format=$format --sort=name -cf $format.tar $app 2>/dev/null
	tar --format=$format --sort=name -cf - ./$app 2>/dev/null |
		flame-fold --key executor,file,path
done
flame-fold --by path gnu.tar
gzip -nc gnu.tar >gnu.tar.gz
zstd -qc pax.tar >pax.tar.zst
short() {
	sed 's/, [0-9]* bytes//; s/; libflame-formats.*//'
}
flame-fold --report text gnu.tar.gz pax.tar.zst 2>&1 | short
cat gnu.tar pax.tar | flame-fold --name jobs/x.tar --by path -v 2>&1 |
	grep -v ' of CPU, '
# A member that is not a profile is reported as any input; the archive may be
# cut.
printf 'no\001profile\001' >$app/noise
: >$app/profile-exec-4.folded
ln -s profile-exec-1.folded $app/link
ln $app/profile-exec-1.folded $app/profile-exec-5.folded
tar --sort=name -cf bad.tar $app
{ flame-fold --report text bad.tar; echo $?; } 2>&1 | short
flame-fold --partial ok bad.tar 2>/dev/null
echo $?
flame-fold --event list bad.tar 2>/dev/null
flame-fold --info gnu.tar
head -c 1000 ustar.tar | flame-fold
echo $?
head -c 1540 ustar.tar | flame-fold --partial ok
echo $?
{ cat ustar.tar; echo 'a;b 3'; } >more.tar
flame-fold more.tar
echo $?
mkdir none
tar -cf none.tar none
flame-fold none.tar
echo $?
tar -cf twice.tar gnu.tar
flame-fold twice.tar
flame-fold -i perf gnu.tar
flame-fold -i tar $app/profile-exec-1.folded
flame-fold -i tar --event cpu gnu.tar
flame-top --by file ustar.tar
