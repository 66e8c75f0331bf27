#!/usr/bin/env bash
# Lists the public types that neither the application, nor a guide, nor a snippet uses, from the symbol graphs of
# scripts/docs.sh: scripts/unused.sh FOLDER. Exits 1 when there is one.
# A type is used if one of them has its name, or if the declaration of something that is used has it. DuetContracts and
# DuetClusterEngine are for authors, whose programs are not here.
set -euo pipefail
cd "$(dirname "$0")/.."
perl -MJSON::PP -e '
    for my $file (split /\n/, `git ls-files --cached --others --exclude-standard EssentialFeed Snippets Documentation/Guides.docc README.md`) {
        next if $file !~ /\.(swift|md|tutorial)$/;
        open(my $text, "<", $file) or next;
        local $/;
        $words{$_} = 1 for <$text> =~ /\w+/g;
    }
    # What the compiler or a macro writes.
    $words{$_} = 1 for qw(init wrappedValue projectedValue HandledMessage);
    for my $file (glob "$ARGV[0]/Duet*/*.symbols.json") {
        open(my $json, "<", $file) or die "$file: $!";
        my $graph = do { local $/; decode_json(<$json>) };
        for (@{$graph->{symbols}}) {
            my $id = $_->{identifier}{precise};
            $symbols{$id} = $_;
            $_->{type} = $_->{kind}{identifier} =~ /\.(struct|enum|class|protocol|actor|typealias)$/;
            ($_->{name}) = $_->{pathComponents}[-1] =~ /(\w+)/;
            $_->{names} = [grep { defined } map { $_->{preciseIdentifier} // $_->{rhsPrecise} }
                @{$_->{declarationFragments}}, @{$_->{swiftExtension}{constraints} // []}];
            $_->{module} = (split m{/}, $file)[-2];
        }
        for (@{$graph->{relationships}}) {
            push @{$members{$_->{target}}}, $_->{source} if $_->{kind} =~ /^(memberOf|requirementOf|optionalRequirementOf)$/;
            # An extension of a type, and the protocols that a type conforms to.
            push @{$members{$_->{target}}}, $_->{source} if $_->{kind} eq "extensionTo";
            push @{$symbols{$_->{source}}{names}}, $_->{target} if $_->{kind} eq "conformsTo" && $symbols{$_->{source}};
        }
    }
    sub reach {
        my @todo = @_;
        while (defined(my $id = pop @todo)) {
            next if !$symbols{$id} || $used{$id}++;
            push @todo, @{$symbols{$id}{names}};
            # All requirements of a protocol, and otherwise the members that have a name in the sources.
            my $isProtocol = $symbols{$id}{kind}{identifier} =~ /protocol$/;
            push @todo, grep {
                my $member = $symbols{$_};
                $member && ($isProtocol || $words{$member->{name} // ""} || $member->{kind}{identifier} =~ /extension/)
            } @{$members{$id} // []};
        }
    }
    # Named types, top-level functions, and members of types of other packages.
    for (keys %symbols) {
        my $symbol = $symbols{$_};
        reach($_) if $symbol->{kind}{identifier} =~ /extension/;
        reach($_) if $words{$symbol->{name} // ""} && ($symbol->{type} || @{$symbol->{pathComponents}} == 1);
    }
    for (sort { "$a->{module} @{$a->{pathComponents}}" cmp "$b->{module} @{$b->{pathComponents}}" } values %symbols) {
        next if !$_->{type} || @{$_->{pathComponents}} > 1 || $used{$_->{identifier}{precise}};
        next if $_->{module} =~ /^(DuetContracts|DuetClusterEngine)$/;
        print "$_->{module}: $_->{pathComponents}[0]\n" and $failed = 1;
    }
    exit($failed ? 1 : 0);' "$1"
