#!/usr/bin/env bash
# Checks that what the last columns of the tables of HTTPCaching.md name is there: the files of a rule, and its suites, each with the
# tests that stand after it.
set -euo pipefail
cd "$(dirname "$0")/.."
perl -e '
    for my $file (split /\n/, `find Tests -name "*Tests.swift"`) {
        open(my $source, "<", $file) or die "$file: $!";
        local $/;
        $suites{$1} = <$source> if $file =~ m{([^/]+)\.swift$};
    }
    open(my $document, "<", "Documentation/HTTPCaching.md") or die $!;
    while (<$document>) {
        if (!/^\|/) { $isTable = 0; next }
        my ($file, $cell) = (split /\|/)[-3, -2];
        if (!$isTable) { $isTable = 1; $names = $cell eq " test "; $hasFiles = $file eq " file "; next }
        next if !$names || $cell =~ /^-+$/;
        for my $name ($hasFiles ? $file =~ /`([^`]+)`/g : ()) {
            my $path = "Sources/DuetHTTPCaching/$name";
            -d $path || -f "$path.swift" or push @faults, "line $.: there is no $path.swift";
        }
        my $suite = "";
        $rows++;
        for my $name ($cell =~ /`([^`]+)`/g) {
            if ($name =~ /^\w+Tests$/) {
                $suite = $name;
                $suites{$name} =~ /struct $name\b/ or push @faults, "line $.: there is no suite $name";
            } else {
                index($suites{$suite}, "func `$name`(") >= 0 or push @faults, "line $.: $suite has no test `$name`";
            }
        }
        $suite or push @faults, "line $.: no test is named";
    }
    push @faults, "no row names a test" if !$rows;
    print "Documentation/HTTPCaching.md, $_\n" for @faults;
    exit(@faults > 0);'
