# A file that comes through a pipe has the labels of its path.
name=x/app-20231114221320-0000/profile-exec-7.folded
echo 'a;b 1' | flame-fold --name $name --by app,executor,file,path
# No file of that name is read.
mkdir x
echo 'c;d 2' >x/profile-exec-8.folded
echo 'a;b 3' | flame-fold --name x/profile-exec-8.folded --by executor \
	- x/profile-exec-8.folded
echo 'a;b' | flame-fold --name $name 2>&1
echo $?
