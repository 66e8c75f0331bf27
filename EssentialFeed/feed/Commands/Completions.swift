import ArgumentParser

struct Completions: ParsableCommand {
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash
        case zsh
        case fish

        var shell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    static let configuration = CommandConfiguration(
        abstract: "Print the script that completes commands and options in a shell.",
        discussion: """
            EXAMPLES:
              feed completions bash > ~/.local/share/bash-completion/completions/feed
              feed completions zsh > ~/.zsh/completions/_feed
              feed completions fish > ~/.config/fish/completions/feed.fish

            zsh reads the file if its folder is in the variable fpath. A new shell has the completions.
            """
    )

    @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"))
    var shell: Shell

    func run() throws {
        Terminal.print(Feed.completionScript(for: shell.shell))
        try Terminal.flush()
    }
}
