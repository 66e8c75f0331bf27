import Duet
import DuetTesting
import FeedBackend
import FeedComposition
import FeedFeature
import FeedPresentation
import FeedTesting
import Foundation
import Logging
import TestSupport
import Testing

/// Somebody who uses the application without a screen: a backend, and a client whose values the presenters show.
actor HeadlessReader {
    /// The date of the backend, the client and the presenters.
    let clock = TestDate(Date(timeIntervalSince1970: 1_770_033_600))

    private let directory: TemporaryDirectory
    private let port: ReservedPort
    private let seed: URL?
    private var backend: RunningBackend?
    private var token: String?

    private init(seed: URL?) throws {
        directory = try TemporaryDirectory()
        port = try ReservedPort()
        self.seed = seed
    }

    /// Starts a backend, passes the reader to `body`, and stops the backend however `body` ends.
    static func visit(
        seed: URL? = FeedSeeder.samples,
        backend: Bool = true,
        _ body: (HeadlessReader) async throws -> Void
    ) async throws {
        let reader = try HeadlessReader(seed: seed)
        if backend { try await reader.startBackend() }
        do {
            try await body(reader)
        } catch {
            try? await reader.stopBackend()
            throw error
        }
        try await reader.stopBackend()
    }

    /// Starts the backend, again with its content.
    func startBackend() async throws {
        backend = try await RunningBackend(in: directory, on: port, now: clock.now, seed: seed)
    }

    /// Stops the backend, if it is running.
    func stopBackend() async throws {
        try await backend?.stop()
        backend = nil
    }

    /// Signs in with a new token that permits everything.
    func signIn() async throws {
        let database = directory.appending("backend.sqlite")
        token = try await FeedTokens(database: database, environment: environment)
            .issue(permitting: [.publish, .comment]).token.text
    }

    /// Launches the application, which opens its cache, and passes its screens to `body`.
    func launch(
        in language: Language = .english,
        _ body: @Sendable (HeadlessScreens) async throws -> Void
    ) async throws {
        let options = ClientOptions(
            remote: port.url,
            cache: directory.appending("cache"),
            credentials: token.map { Credentials(token: $0) },
            outbox: directory.appending("outbox")
        )
        let now = clock.now
        try await FeedClient.withOutbox(options, environment: environment) {
            Issue.record("\($0)")
        } body: { dispatcher, outbox in
            try await body(HeadlessScreens(dispatcher: dispatcher, outbox: outbox, language: language, now: now))
        }
    }

    private var environment: FeedComposition.Environment {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return FeedComposition.Environment(now: clock.now, calendar: .utc, logger: logger)
    }
}

/// The screens of one launch, as values of their presenters.
struct HeadlessScreens: Sendable {
    let dispatcher: any Dispatcher
    let outbox: any CommentOutbox
    let language: Language
    let now: @Sendable () -> Date

    private var presenter: FeedPresenter { FeedPresenter(language: language, now: now(), calendar: .utc) }

    private var commentsPresenter: ImageCommentsPresenter {
        ImageCommentsPresenter(language: language, now: now(), calendar: .utc)
    }

    /// Opens the feed or refreshes it, or loads the page after an image.
    func feed(after image: UUID? = nil) async -> FeedViewModel {
        let query = LoadFeed(after: image)
        do {
            return presenter.present(try await dispatcher.dispatch(query), of: query)
        } catch {
            return presenter.present(error)
        }
    }

    /// Searches the feed.
    func search(_ query: SearchFeed) async -> FeedViewModel {
        do {
            return presenter.present(try await dispatcher.dispatch(query), of: query)
        } catch {
            return presenter.present(error)
        }
    }

    /// All pages of the feed, until one has no images.
    func wholeFeed() async -> [FeedViewModel] {
        var pages = [await feed()]
        while let last = pages.last?.lastImage { pages.append(await feed(after: last)) }
        return pages
    }

    /// Selects an image.
    func comments(on image: UUID) async -> ImageCommentsViewModel {
        do {
            return commentsPresenter.present(try await dispatcher.dispatch(LoadImageComments(imageID: image)).comments)
        } catch {
            return commentsPresenter.present(error)
        }
    }

    /// The comments that have not been sent.
    func waitingComments() async -> [ImageCommentViewModel] {
        commentsPresenter.present(waiting: await outbox.comments)
    }

    /// Publishes a photograph.
    func publish(_ description: String?, _ number: Int = 1) async throws {
        let data = try Data(contentsOf: FeedSeeder.samples.appending(path: "clock.jpg"))
        try await dispatcher.dispatch(PublishImage(id: .fixture(number), description: description, data: data))
    }
}

extension Calendar {
    /// A calendar that is the same on every machine.
    static var utc: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }
}
