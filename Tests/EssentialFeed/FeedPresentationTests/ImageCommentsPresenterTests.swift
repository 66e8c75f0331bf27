import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Testing

@Suite struct ImageCommentsPresenterTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        arguments: [
            (.english, "Comments", ["5 minutes ago", "1 day ago"]),
            (.greek, "Σχόλια", ["πριν από 5 λεπτά", "πριν από 1 ημέρα"]),
            (.brazilianPortuguese, "Comentários", ["há 5 minutos", "há 1 dia"]),
        ] as [(Language, String, [String])]
    )
    func `comments show message, user name and relative date in their order`(
        _ language: Language,
        _ title: String,
        _ dates: [String]
    ) {
        let comments = [
            ImageComment(id: .fixture(5), message: "Nice", createdAt: now.addingTimeInterval(-300), username: "Ada"),
            ImageComment(
                id: .fixture(6),
                message: "Where?",
                createdAt: now.addingTimeInterval(-86_400),
                username: "Lin"
            ),
        ]
        let shown = presenter(language).present(comments)

        #expect(shown.title == title)
        #expect(shown.comments.map(\.id) == comments.map(\.id))
        #expect(shown.comments.map(\.message) == ["Nice", "Where?"])
        #expect(shown.comments.map(\.username) == ["Ada", "Lin"])
        #expect(shown.comments.map(\.date) == dates)
        #expect(shown.comments.map(\.createdAt) == comments.map(\.createdAt))
        #expect(shown.error == nil)
        #expect(shown.emptyMessage == nil)
    }

    @Test func `an earlier comment is shown without the invisible characters of its user name`() {
        let name = "Ada\u{202E}\u{E0041}\u{200B} 👩\u{200D}🚀"
        let comment = ImageComment(id: .fixture(5), message: "a\u{200B}b", createdAt: now, username: name)
        let shown = presenter().present([comment]).comments
        #expect(shown.map { Array($0.username.unicodeScalars) } == [Array("Ada 👩\u{200D}🚀".unicodeScalars)])
        #expect(shown.map { Array($0.message.unicodeScalars) } == [Array("a\u{200B}b".unicodeScalars)])
    }

    @Test func `an empty list of comments has a message`() {
        let shown = presenter().present([])

        #expect(shown.comments.isEmpty)
        #expect(shown.emptyMessage == "Nobody has commented yet.")
    }

    @Test func `an error shows its message, and a sentence in place of comments`() {
        let shown = presenter().present(RemoteFailure.connectivity("refused"))

        #expect(shown.comments.isEmpty)
        #expect(shown.error == "Couldn't connect to server")
        #expect(
            shown.emptyMessage == "The comments could not be loaded. They appear when the server can be reached."
        )
    }

    @Test func `a canceled load shows nothing`() {
        let shown = presenter().present(CancellationError())

        #expect(shown.error == nil)
        #expect(shown.emptyMessage == nil)
    }

    private func presenter(_ language: Language = .english) -> ImageCommentsPresenter {
        ImageCommentsPresenter(language: language, now: now, calendar: .utc)
    }
}
