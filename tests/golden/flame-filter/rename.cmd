printf 'a/b/C.m_[j];a/b/C.m$1_[0];org.x.Y.z 1\na/b/C.m;d 2\n' >in
flame-filter --rename 's/^a.b/p/' in
flame-filter --rename 's,/,.,g' --rename 's/[.](C)/:\1/' in
flame-filter --rename 's/^ORG.*//i' --rename 's/m/&&/;' in
flame-filter --rename 's/^ORG.*//i' --rename 's/m/&[$1]/' in
flame-filter --rename 's/^ORG.*//i' --rename 's/(m)/&[$1]/' in
flame-filter --rename 's/.*//' in
