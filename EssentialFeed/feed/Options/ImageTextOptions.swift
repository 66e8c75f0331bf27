import ArgumentParser

struct ImageTextOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A description of the picture, for people who do not see it.", valueName: "text")
    )
    var description: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Words that appear beside the picture.", valueName: "text"))
    var caption: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The place where it was taken.", valueName: "text"))
    var location: String?
}
