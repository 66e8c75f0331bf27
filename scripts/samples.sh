#!/usr/bin/env bash
# Checks that each block of Swift in Markdown and in documentation comments is part of a snippet, so that it compiles.
# A block may be indented otherwise than in the snippet. Lines of a manifest need no snippet.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard -- '*.md' 'Sources/*.swift' 'EssentialFeed/*.swift' 'Examples/*.swift' |
    perl -ne '
    BEGIN {
        for my $file (glob "Snippets/*.swift Examples/*/*/*/*.swift") {
            open(my $text, "<", $file) or die "$file: $!";
            local $/;
            push @snippets, normalized(<$text>);
        }
        # Without indentation, empty lines, and the lines that DocC does not show.
        sub normalized {
            my @lines = map { s/^\s+|\s+$//gr } split /\n/, shift;
            return "\n" . join("", map { "$_\n" } grep { $_ ne "" && !m{^// (snippet\.|swift-format-ignore)} } @lines);
        }
    }
    chomp;
    my $file = $_;
    open(my $source, "<", $file) or next;
    my ($block, $start, $isSwift) = (undef, 0, 0);
    while (my $line = <$source>) {
        if ($file =~ /\.swift$/) { $line = $line =~ m{^\s*/// ?(.*)$} ? "$1\n" : "" }
        if ($line =~ /^\s*```(\w*)/) {
            if (!defined $block) {
                ($block, $start, $isSwift) = ("", $., $1 eq "swift");
            } else {
                if ($isSwift && $block !~ m{^\s*(\.package\(|// swift-tools-version)}) {
                    my $sample = normalized($block);
                    print "$file:$start: not part of a snippet\n" and $failed = 1 if !grep { index($_, $sample) >= 0 } @snippets;
                }
                $block = undef;
            }
        } elsif (defined $block) {
            $block .= $line;
        }
    }
    END { $? = $failed ? 1 : 0 }'
