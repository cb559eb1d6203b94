# SPDX-License-Identifier: Apache-2.0
# said.pl RULES [METRIC] < FOLDED: what a page says of it in words, from the
# text and share/rules/works alone; names without package and class.
# said.pl RULES works < FOLDED: the sum of each work, all being of tasks.
use strict;
use warnings;

my ($rules, $metric) = @ARGV;
my $list = ($metric // "") eq "works";
my (@rows, %fact, %path, @stacks, $java, $tasks);
open my $in, "<", $rules or die "$rules: $!";
while (<$in>) {
	chomp;
	next if /^#/ || /^$/;
	if (/^\t(.*)/) {
		push @{$rows[-1]{patterns}}, split / +/, $1;
		next;
	}
	my ($kind, $name, $words) = split /\t/;
	push @rows, { kind => $kind, name => $name, words => $words };
}
for my $row (@rows) {
	my @all = map {
		my ($text, $from, $to) = ($_, "", "");
		$from = "^" if $text =~ s/^\^//;
		$to = "\\z" if $text =~ s/\$$//;
		$from . join("[./]", map { quotemeta } split /[.]/, $text, -1)
			. $to;
	} @{$row->{patterns}};
	my $re = join "|", @all;
	$row->{re} = qr/$re/;
}

sub row_of {
	my $name = shift;
	return $fact{$name} if exists $fact{$name};
	my ($row) = grep { $name =~ $_->{re} } @rows;
	return $fact{$name} = $row // { kind => "own" };
}

while (<STDIN>) {
	my ($stack, $n) = /^(.*) (\d+)$/ or next;
	my @frames = map {
		my $how = /_\[([0jik1])\]$/ ? $1 : "";
		s/_\[[0jik1]\]$//r =~ /(.*)/s;
		{ name => $1, how => $how };
	} split /;/, $stack;
	$java ||= grep { $_->{how} =~ /^[0ji]$/ } @frames;
	$tasks ||= grep { row_of($_->{name})->{kind} eq "task" } @frames;
	push @stacks, [ $n, @frames ];
}

my (%total, %self, %inner, %done, %beside, %what, %how, %kind);
my ($all, $base) = (0, 0);
for (@stacks) {
	my ($n, @frames) = @$_;
	my ($work, $own, $platform, $idle, $in) = (undef, "", "", 0, $list);
	my $from = 0;
	for my $i (0 .. $#frames) {
		my ($name, $how) = @{$frames[$i]}{qw(name how)};
		my $row = row_of($name);
		my $k = $row->{kind};
		if ($k eq "task") {
			($work, $own, $platform, $idle, $in, $from) =
				(undef, "", "", 0, 1, $in ? $from : $i);
		} elsif ($k eq "over" || $k eq "inner") {
			$work = $row unless $work && $work->{kind} eq "over";
		} elsif ($k eq "wait") {
			$work //= $row;
		} elsif ($k eq "pause") {
			$idle ||= !$work;
		} elsif ($k eq "idle") {
			$idle = 1;
		} elsif ($k eq "platform" || ($k eq "own" && $java &&
			$how !~ /^[0ji1]$/)) {
			$platform = $name;
		} elsif ($k eq "own") {
			$own = $name;
		}
	}
	next if $idle && !$tasks && !$list;
	$all += $n;
	if ($tasks && !$in) {
		$beside{$work->{name}} += $n if $work;
		next;
	}
	$base += $n;
	$kind{$frames[-1]{how}} += $n;
	my %seen;
	for my $f (@frames[$from .. $#frames]) {
		$total{$f->{name}} += $n unless $seen{$f->{name}}++;
		$how{$f->{name}} = $f->{how} unless ($how{$f->{name}} // "k")
			ne "k";
	}
	$inner{$own} += $n if $own ne "";
	$inner{$platform} += $n if $platform ne "" && !$work;
	if ($work) {
		$done{$work->{name}} += $n;
	} else {
		$self{$frames[-1]{name}} += $n;
	}
}
if ($list) {
	print map { "$_ $done{$_}\n" } sort keys %done;
	exit;
}
exit unless $base;

my %words = map { $_->{name} => $_->{words} } reverse @rows;
my %order = map { $rows[$_]{name} => $_ } reverse 0 .. $#rows;
my $quarter = int(($base - 1) / 4) + 1;
my $worth = int(($base - 1) / 20) + 1;
my @found;
for my $name (keys %total) {
	my $k = row_of($name)->{kind};
	next if $k !~ /^(own|platform)$/ || $how{$name} eq "k" ||
		$total{$name} < $quarter ||
		($k eq "platform" && $name =~ /\$\$(Lambda|anon\$)/);
	my $inner = ($inner{$name} // 0) >= $quarter || 0;
	next unless $inner || $total{$name} < $base - int($base / 20);
	push @found, { name => $name, inner => $inner,
		own => ($k eq "own" && (!$java ||
			$how{$name} =~ /^[0ji1]$/)) || 0 };
}
my ($frame) = sort {
	$b->{own} <=> $a->{own} || $b->{inner} <=> $a->{inner} ||
	($a->{inner} && $inner{$b->{name}} <=> $inner{$a->{name}}) ||
	$total{$a->{name}} <=> $total{$b->{name}} ||
	($self{$b->{name}} // 0) <=> ($self{$a->{name}} // 0) ||
	$a->{name} cmp $b->{name} } @found;
my ($leaf) = sort { $self{$b} <=> $self{$a} || $a cmp $b }
	grep { row_of($_)->{kind} =~ /^(own|platform)$/ && $how{$_} ne "k" }
	keys %self;
my $leaf_n = defined $leaf ? $self{$leaf} : 0;
my @works = sort { $done{$b} <=> $done{$a} || $order{$a} <=> $order{$b} }
	keys %done;
my $heaviest = @works ? $done{$works[0]} : 0;

sub bare {
	my $s = shift;
	$s =~ s/ ?\(.*//;
	$s =~ s/.*[.\/]//;
	return $s;
}
my $work_first = $frame && $frame->{own} ? 0 : $heaviest >= $quarter ? 1 :
	$frame && $frame->{inner} ? 0 :
	$heaviest > int($base / 10) && $heaviest >= $leaf_n ? 1 :
	$frame || $heaviest < $leaf_n ? 0 : 1;
my (@parts, @rest);
my @of_frame = $frame ? [ $total{$frame->{name}},
	"in " . bare($frame->{name}) ] : ();
if ($work_first) {
	my $w = shift @works;
	push @parts, [ $done{$w}, $words{$w} ];
	push @rest, @of_frame if $frame && $frame->{inner};
} else {
	push @parts, @of_frame;
}
if (defined $leaf && (!$frame || $leaf ne $frame->{name})) {
	my $part = [ $leaf_n, "in " . bare($leaf) . " itself" ];
	push @rest, $part if @parts && $leaf_n >= $worth;
	push @parts, $part if !@parts;
}
push @rest, map { [ $done{$_}, $words{$_}, 1 ] }
	grep { $done{$_} >= $worth } @works;
push @rest, [ $kind{0}, "interpreted", 1 ] if ($kind{0} // 0) >= $worth;
push @rest, [ $kind{k}, "in the kernel", 1 ] if ($kind{k} // 0) >= $worth;
push @parts, sort { $b->[0] <=> $a->[0] || ($a->[2] // 0) <=> ($b->[2] // 0) }
	@rest;
splice @parts, 5 if @parts > 5;
my $k = 0;
my $of = $base < $all ? "tasks' " : "";
print join("; ", map { sprintf "%.0f%%%s %s", 100 * $_->[0] / $base,
	$k++ || !($metric || $of) ? "" : " of $of$metric", $_->[1] } @parts);
my @beside = sort { $beside{$b} <=> $beside{$a} || $order{$a} <=> $order{$b} }
	grep { $beside{$_} > int($all / 20) } keys %beside;
splice @beside, 2 if @beside > 2;
print @beside ? ". Of all stacks, beside tasks: " . join("; ", map {
	sprintf "%.0f%% %s", 100 * $beside{$_} / $all, $words{$_} } @beside) :
	"", ".\n";
