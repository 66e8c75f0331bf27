import Duet
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Testing

@Suite struct TextTests {
    @Test(arguments: Language.allCases)
    func `every language has exactly the same keys`(_ language: Language) {
        #expect(language.keys == Set(Text.allCases.map(\.rawValue)))
    }

    @Test(arguments: Language.allCases, Text.allCases)
    func `no text is empty or shows its key`(_ language: Language, _ text: Text) {
        let shown = language[text]
        #expect(!shown.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty)
        #expect(shown != text.rawValue)
        let templates: [Text] = [
            .feedSaved, .feedLoadedMore, .feedNew, .commentsNew, .fieldLimit, .fieldTooLong,
            .searchTitleWords, .searchFound, .searchFoundMore, .searchSaved, .searchUnapplied, .publishRemoved,
            .commentsCount, .commentsTooMany, .feedOffline, .pageSaved, .pageSlow, .publishPosition, .publishCount,
            .terminalMayHaveMore, .terminalEarlierComments, .terminalMissingImages, .terminalPosted,
            .terminalServerAsksToWait, .terminalPublishedBefore, .terminalCorrected, .terminalRemovedImage,
            .terminalRemovedBefore, .terminalRemovedComment,
        ]
        let isTemplate = templates.contains(text)
        #expect(shown.contains("%@") == isTemplate)
    }

    @Test(arguments: Text.allCases)
    func `no text is the same in all languages`(_ text: Text) {
        #expect(Set(Language.allCases.map { $0[text] }).count == Language.allCases.count)
    }

    @Test(
        arguments: [
            (.english, "My Feed", "Comments", "Couldn't connect to server"),
            (.greek, "Το Feed μου", "Σχόλια", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή"),
            (.brazilianPortuguese, "Meu Feed", "Comentários", "Não foi possível conectar com o servidor"),
        ] as [(Language, String, String, String)]
    )
    func `titles and connection error read as agreed`(
        _ language: Language,
        _ feed: String,
        _ comments: String,
        _ connection: String
    ) {
        #expect(language[.feedTitle] == feed)
        #expect(language[.commentsTitle] == comments)
        #expect(language[.connectionError] == connection)
    }

    @Test(arguments: Language.allCases)
    func `each kind of error has its own message`(_ language: Language) {
        #expect(language.message(for: RemoteFailure.connectivity("refused")) == language[.connectionError])
        #expect(language.message(for: RemoteFailure.invalidData("no items")) == language[.invalidDataError])
        #expect(language.message(for: ImageNotFound(id: .fixture(1))) == language[.notFoundError])
        #expect(language.message(for: ImageRemoved(id: .fixture(1))) == language[.notFoundError])
        #expect(language.message(for: DuplicateImage(id: .fixture(1))) == language[.publishDuplicate])
        #expect(language.message(for: IDReused(id: .fixture(1))) == language[.formReused])
        #expect(language.message(for: IdempotencyKeyReused(key: "k")) == language[.formReused])
        #expect(language.message(for: CommentRemoved(id: .fixture(1))) == language[.commentRemoved])
        #expect(language[.publishDuplicate].contains(language[.publishAction]))
        #expect(language.message(for: AuthorizationError.unauthenticated) == language[.sessionNeeded])
        #expect(language.message(for: TooManyComments(until: .milliseconds(7_001))).contains("8"))
        #expect(language.message(for: ExposedToken(host: "feed.example")) == language[.sessionExposed])
        #expect(language.message(for: AuthorizationError.forbidden) == language[.sessionNotPermitted])
        #expect(language.message(for: CocoaError(.fileNoSuchFile)) == language[.unexpectedError])
    }
}
