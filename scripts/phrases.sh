#!/usr/bin/env bash
# Names each place in Markdown, comments and string literals that has a phrase of scripts/phrases.txt: scripts/phrases.sh [PATH...]
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard -z -- "${@:-.}" | perl -0 -ne '
    BEGIN {
        $/ = "\n";
        open(my $list, "<", "scripts/phrases.txt") or die $!;
        while (<$list>) {
            chomp;
            my ($pattern, $instead) = split / => /, $_, 2;
            push @phrases, [qr/$pattern/, $instead] if !/^#/ && defined $instead;
        }
        $/ = "\0";
    }
    chomp;
    my $file = $_;
    next if $file !~ /\.(swift|md|tutorial|sh|mustache|yml)$|Makefile$/ || $file eq "scripts/phrases.sh" || !-f $file;
    open(my $text, "<", $file) or next;
    local $/ = "\n";
    my ($isCode, $line) = (0, 0);
    while (my $words = <$text>) {
        $line++;
        if ($file =~ /\.swift$/) {
            $words = join " ", $words =~ m{(//.*|"[^"]*")}g;
        } elsif ($file =~ /\.sh$|Makefile$/) {
            $words = join " ", $words =~ m{(#.*|"[^"]*"|\x27[^\x27]*\x27)}g;
        } elsif ($words =~ /^\s*```/) {
            $isCode = !$isCode;
            next;
        }
        next if $isCode;
        $words =~ s/`[^`]*`//g if $file =~ /\.(md|tutorial)$/;
        for (@phrases) {
            my ($pattern, $instead) = @$_;
            next if $words !~ $pattern;
            print "$file:$line: \"$&\": write $instead\n";
            $found = 1;
        }
    }
    END { $? = $found ? 1 : 0 }'
