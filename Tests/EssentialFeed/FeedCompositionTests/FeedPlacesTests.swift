import Duet
import DuetCaching
import DuetCluster
import DuetContext
import DuetDependencies
import DuetHTTP
import DuetTesting
import FeedAPI
import FeedBackend
import FeedComposition
import FeedFeature
import FeedTesting
import Foundation
import GRDB
import Logging
import Testing

/// The backend's messages in this process, over HTTP, through the client's cache, and through a cluster.
@Suite(.timeLimit(.minutes(5))) struct FeedPlacesTests {
    private static let now = Date(timeIntervalSince1970: 1_772_000_000.25)
    private static let publisher = Principal(id: "publisher", scopes: ["publish"])
    fileprivate static let bytes = Data.tinyImage

    // The state before each example: two images, one of them with a comment, and a removed one.
    private static let mountain = FeedImage(
        id: .fixture(1),
        description: "Όρος 🏔️",
        caption: "Cume",
        location: "São Paulo\n2",
        author: "Ana",
        publishedAt: now,
        commentCount: 1,
        size: ImageSize(width: 4_000, height: 3_000),
        color: ImageColor("#2f4f8a"),
        isAnimated: true,
        versions: [
            ImageVersion(width: 480, url: link(.fixture(1), "?width=480&hash=0123456789abcdef")),
            ImageVersion(width: 960, url: link(.fixture(1), "?width=960&hash=fedcba9876543210")),
        ],
        url: link(.fixture(1), hash)
    )
    private static let plain = published(FeedImage(id: .fixture(2), url: link(.fixture(2), hash)))
    private static let new = published(
        FeedImage(id: .fixture(4), description: "a+b/é?&=%", caption: "\"One\"", url: link(.fixture(4), hash))
    )
    private static let corrected = CorrectImage(id: mountain.id, description: "Serra", location: "")
    private static let removed = UUID.fixture(3)
    private static let comment = PostImageComment(
        id: .fixture(11),
        imageID: mountain.id,
        message: "Λαμπρό! \"🐈\"",
        username: "visitor"
    )
    private static let reply = PostImageComment(
        id: .fixture(12),
        imageID: mountain.id,
        message: "Obrigado",
        username: "author"
    )

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [(mountain, plain.with(publishedAt: .distantPast)), (FeedImage.fixture(1), FeedImage.fixture(2))])
    func `two images of the examples differ in each field, so that a carrier or a store that forgets one is found`(
        first: FeedImage,
        second: FeedImage
    ) {
        for (field, other) in zip(Mirror(reflecting: first).children, Mirror(reflecting: second).children) {
            let name = field.label ?? ""
            #expect("\(field.value)" != "\(other.value)", "Give the images different values of FeedImage.\(name).")
        }
    }

    @Test func `the feed's messages have the same outcomes in all four places`() async throws {
        let suite = MessageSuite(.feed) {
            reading
            commenting
            publishing
        }
        let database = try await seededDatabase()
        #expect(suite.messageNames == Set(MessageAPI.feed.entries(of: .http).map { $0.message.messageName }))
        try await suite.check(
            in: .http(settings: .feed) { try RemoteDispatcher(baseURL: $0, client: $1) },
            .cache { try .client(now: CurrentDate { Self.now }, clock: ManualClock()) },
            .cluster()
        ) { try await backend(copying: database) }
    }

    /// Returns the dispatcher of a backend with a new copy of a database.
    private func backend(copying database: URL) async throws -> any Dispatcher {
        let copy = directory.appending("\(UUID()).sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database.path + suffix) {
            try FileManager.default.copyItem(atPath: database.path + suffix, toPath: copy.path + suffix)
        }
        return try await backend(on: copy).dispatcher
    }

    /// Creates a database with the state before each example.
    private func seededDatabase() async throws -> URL {
        let database = directory.appending("seeded.sqlite")
        let container = try backend(on: database)
        let dispatcher = try await container.dispatcher
        for image in [Self.plain, Self.mountain] { try await dispatcher.dispatch(PublishImage(image)) }
        try await dispatcher.dispatch(PublishImage(id: Self.removed, data: Self.bytes))
        try await dispatcher.dispatch(RemoveImage(id: Self.removed))
        try await dispatcher.dispatch(Self.comment)
        await container.dispose()
        // The facts that a token and the resizer would add.
        let queue = try DatabaseQueue(path: database.path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    UPDATE image SET author = 'Ana', width = 4000, height = 3000, color = '#2f4f8a', is_animated = 1
                    WHERE caption = 'Cume';
                    INSERT INTO image_version (image, width, hash, bytes)
                    SELECT position, 960, 'fedcba9876543210', x'00' FROM image WHERE caption = 'Cume';
                    INSERT INTO image_version (image, width, hash, bytes)
                    SELECT position, 480, '0123456789abcdef', x'00' FROM image WHERE caption = 'Cume';
                    """
            )
        }
        try queue.close()
        return database
    }

    private func backend(on database: URL) throws -> Container {
        try .backend(
            BackendOptions(database: database),
            environment: Environment(now: { Self.now }, logger: .silent)
        )
    }

    /// The query of the address of the examples' bytes.
    private static let hash = "?hash=acc4b644ba90b690"

    private static func link(_ id: UUID, _ query: String) -> URL {
        URL(string: "http://localhost/v1/image/\(id.uuidString)\(query)") ?? URL(filePath: "/")
    }

    /// Returns an image with the facts of a new one.
    private static func published(_ image: FeedImage) -> FeedImage {
        image.with(publishedAt: now, commentCount: 0, size: ImageSize(width: 8, height: 8))
    }
}

// MARK: Examples

extension FeedPlacesTests {
    @ListBuilder<Example> private var reading: [Example] {
        Example(LoadFeed(), returns: FeedPage(images: [Self.mountain, Self.plain], source: .remote))
        Example(LoadFeed(limit: 1), returns: FeedPage(images: [Self.mountain], source: .remote))
        Example(LoadFeed(after: Self.mountain.id), returns: FeedPage(images: [Self.plain], source: .remote))
        Example(LoadFeed(after: Self.removed), returns: FeedPage(images: [Self.mountain, Self.plain], source: .remote))
        Example(LoadFeed(after: Self.new.id), throws: ImageNotFound(id: Self.new.id))
        Example(
            LoadFeed(limit: 101),
            throws: InvalidMessage(field: "limit", reason: "must be a whole number from 1 to 100, not 101")
        )
        Example(LoadImageDetails(id: Self.mountain.id), returns: Self.mountain)
        Example(LoadImageDetails(id: Self.removed), throws: ImageRemoved(id: Self.removed))
        Example(LoadImageDetails(id: Self.new.id), throws: ImageNotFound(id: Self.new.id))
        Example(LoadNeighbors(of: Self.mountain.id), returns: ImageNeighbors(next: Self.plain.id))
        Example(LoadNeighbors(of: Self.plain.id), returns: ImageNeighbors(previous: Self.mountain.id))
        Example(LoadNeighbors(of: Self.removed), returns: ImageNeighbors(next: Self.mountain.id))
        Example(LoadNeighbors(of: Self.new.id), throws: ImageNotFound(id: Self.new.id))
        Example(LoadNewestImage(), returns: Self.mountain.id)
        Example(LoadRemovedImages(), returns: [Self.removed])
        Example(LoadPublishedImageData(id: Self.plain.id), returns: PublishedImageData(data: Self.bytes, format: .jpeg))
            .skipping(.cluster, because: "the bytes of images stay on HTTP")
        Example(LoadPublishedImageData(id: Self.removed), throws: ImageRemoved(id: Self.removed))
            .skipping(.cluster, because: "the bytes of images stay on HTTP")

        Example(SearchFeed("ΟΡΟΣ paulo"), returns: Self.page(Self.found(Self.mountain, comments: 1)))
        Example(
            SearchFeed(filter: FeedFilter(hasLocation: false, publishedSince: Self.now), order: .mostCommented),
            returns: Self.page(Self.found(Self.plain))
        )
        Example(
            SearchFeed(order: .mostCommented, after: FeedCursor(imageID: Self.mountain.id, commentCount: 1)),
            returns: Self.page(Self.found(Self.plain))
        )
        Example(
            SearchFeed(String(repeating: "a", count: 101)),
            throws: InvalidMessage(field: "q", reason: "must have at most 100 characters")
        )

        Example(LoadPermissions(), returns: [.publish]).sent(by: Self.publisher)
        Example(LoadPermissions(), throws: AuthorizationError.unauthenticated)
            .skipping(.cluster, because: "a node sends no anonymous question for permissions")
    }

    @ListBuilder<Example> private var commenting: [Example] {
        Example(LoadImageComments(imageID: Self.mountain.id), returns: Self.comments(Self.comment))
        Example(LoadImageComments(imageID: Self.plain.id), returns: Self.comments())
        Example(LoadImageComments(imageID: Self.removed), throws: ImageRemoved(id: Self.removed))
        Example(
            Self.reply,
            then: LoadImageComments(imageID: Self.mountain.id),
            returns: Self.comments(Self.comment, Self.reply)
        )
        Example(
            Self.reply,
            then: LoadImageComments(imageID: Self.mountain.id, limit: 1),
            returns: Self.comments(Self.reply, hasEarlier: true)
        )
        Example(
            Self.reply,
            then: LoadImageComments(imageID: Self.mountain.id, limit: 1, before: Self.reply.id),
            returns: Self.comments(Self.comment)
        )
        Example(
            LoadImageComments(imageID: Self.mountain.id, before: Self.reply.id),
            throws: InvalidMessage(field: "before_id", reason: "must be the id of a comment on the image")
        )
        Example(
            LoadImageComments(imageID: Self.mountain.id, limit: 1_001),
            throws: InvalidMessage(field: "limit", reason: "must be a whole number from 1 to 1000, not 1001")
        )
        Example(Self.reply, then: SearchFeed("paulo"), returns: Self.page(Self.found(Self.mountain, comments: 2)))
        Example(
            Self.comment,
            then: LoadImageComments(imageID: Self.mountain.id),
            returns: Self.comments(Self.comment)
        )
        Example(
            PostImageComment(id: Self.reply.id, imageID: Self.removed, message: "Hello", username: "visitor"),
            throws: ImageRemoved(id: Self.removed)
        )
        Example(
            PostImageComment(id: Self.reply.id, imageID: Self.mountain.id, message: " \n", username: "visitor"),
            throws: InvalidMessage(field: "message", reason: "must not be empty")
        )
        Example(
            PostImageComment(id: Self.reply.id, imageID: Self.mountain.id, message: "Another", username: "author"),
            throws: IDReused(id: Self.reply.id)
        )
        .after(Self.reply)
        .skipping(.http, because: "there the comment's id is also an idempotency key, which reports the reuse")
        Example(
            PostImageComment(id: Self.comment.id, imageID: Self.plain.id, message: "Another", username: "author"),
            throws: IDReused(id: Self.comment.id)
        )
        Example(
            PostImageComment(id: Self.reply.id, imageID: Self.mountain.id, message: "Hello", username: "\u{200B}"),
            throws: InvalidMessage(field: "username", reason: "must not be empty")
        )
        Example(Self.comment, throws: CommentRemoved(id: Self.comment.id))
            .after(RemoveImageComment(imageID: Self.mountain.id, id: Self.comment.id))
            .sent(by: Principal(id: "moderator", scopes: ["moderate"]))
    }

    @ListBuilder<Example> private var publishing: [Example] {
        Example(
            PublishImage(Self.new),
            then: LoadFeed(),
            returns: FeedPage(images: [Self.new, Self.mountain, Self.plain], source: .remote)
        )
        .sent(by: Self.publisher)
        Example(PublishImage(Self.new), then: LoadNewestImage(), returns: Self.new.id).sent(by: Self.publisher)
        Example(PublishImage(Self.plain), then: LoadNewestImage(), returns: Self.mountain.id).sent(by: Self.publisher)
        Example(PublishImage(id: Self.plain.id, data: GIFBytes.file()), throws: IDReused(id: Self.plain.id))
            .sent(by: Self.publisher)
        Example(
            PublishImage(id: Self.new.id, refusesDuplicate: true, data: Self.bytes),
            throws: DuplicateImage(id: Self.plain.id)
        )
        .sent(by: Self.publisher)
        Example(PublishImage(id: Self.removed, data: Self.bytes), throws: ImageRemoved(id: Self.removed))
            .sent(by: Self.publisher)
        Example(
            PublishImage(id: Self.new.id, data: Data("text".utf8)),
            throws: InvalidMessage(field: "body", reason: "must be a JPEG, PNG, GIF or WebP image")
        )
        .sent(by: Self.publisher)
        Example(
            Self.corrected,
            then: LoadImageDetails(id: Self.mountain.id),
            returns: FeedImage(
                id: Self.mountain.id,
                description: "Serra",
                caption: Self.mountain.caption,
                author: Self.mountain.author,
                publishedAt: Self.now,
                commentCount: 1,
                size: Self.mountain.size,
                color: Self.mountain.color,
                isAnimated: Self.mountain.isAnimated,
                versions: Self.mountain.versions,
                url: Self.mountain.url
            )
        )
        .sent(by: Self.publisher)
        Example(
            CorrectImage(id: Self.mountain.id),
            then: LoadImageDetails(id: Self.mountain.id),
            returns: Self.mountain
        )
        .sent(by: Self.publisher)
        Example(
            CorrectImage(id: Self.mountain.id, caption: "Ραχη"),
            then: SearchFeed("paulo ραχη"),
            returns: Self.page(
                FeedImage(
                    id: Self.mountain.id,
                    description: Self.mountain.description,
                    caption: "Ραχη",
                    location: Self.mountain.location,
                    author: Self.mountain.author,
                    publishedAt: Self.now,
                    commentCount: 1,
                    size: Self.mountain.size,
                    color: Self.mountain.color,
                    isAnimated: Self.mountain.isAnimated,
                    versions: Self.mountain.versions,
                    url: Self.mountain.url
                )
            )
        )
        .sent(by: Self.publisher)
        Example(
            CorrectImage(id: Self.mountain.id, description: String(repeating: "a", count: 2_001)),
            throws: InvalidMessage(field: "description", reason: "must have at most 2000 characters")
        )
        .sent(by: Self.publisher)
        Example(CorrectImage(id: Self.removed, description: "d"), throws: ImageRemoved(id: Self.removed))
            .sent(by: Self.publisher)
        Example(
            RemoveImageComment(imageID: Self.mountain.id, id: Self.comment.id),
            then: LoadImageComments(imageID: Self.mountain.id),
            returns: Self.comments()
        )
        .sent(by: Principal(id: "moderator", scopes: ["moderate"]))
        Example(
            RemoveImageComment(imageID: Self.mountain.id, id: Self.reply.id),
            then: LoadImageComments(imageID: Self.mountain.id, before: Self.reply.id),
            returns: Self.comments(Self.comment)
        )
        .after(Self.reply)
        .sent(by: Principal(id: "moderator", scopes: ["moderate"]))
        Example(
            RemoveImage(id: Self.mountain.id),
            then: LoadFeed(),
            returns: FeedPage(images: [Self.plain], source: .remote)
        )
        .sent(by: Self.publisher)
        Example(
            RemoveImage(id: Self.mountain.id),
            then: LoadImageComments(imageID: Self.mountain.id),
            throws: ImageRemoved(id: Self.mountain.id)
        )
        .sent(by: Self.publisher)
        Example(RemoveImage(id: Self.plain.id), then: LoadNewestImage(), returns: nil)
            .after(RemoveImage(id: Self.mountain.id))
            .sent(by: Self.publisher)
        Example(RemoveImage(id: Self.plain.id), then: LoadRemovedImages(), returns: [Self.plain.id, Self.removed])
            .sent(by: Self.publisher)
        Example(RemoveImage(id: Self.removed), then: LoadRemovedImages(), returns: [Self.removed])
            .sent(by: Self.publisher)
        Example(RemoveImage(id: Self.removed), then: SearchFeed(), returns: Self.all).sent(by: Self.publisher)
    }

    private static let all = page(found(mountain, comments: 1), found(plain))

    private static func page(_ images: FeedImage...) -> FeedSearchPage {
        FeedSearchPage(images: images, source: .remote)
    }

    private static func found(_ image: FeedImage, comments: Int = 0) -> FeedImage { image.with(commentCount: comments) }

    private static func comments(_ commands: PostImageComment..., hasEarlier: Bool = false) -> ImageCommentPage {
        ImageCommentPage(comments: commands.map { ImageComment($0, createdAt: now) }, hasEarlier: hasEarlier)
    }
}

extension PublishImage {
    /// The command that publishes an image of the examples.
    fileprivate init(_ image: FeedImage) {
        self.init(
            id: image.id,
            description: image.description,
            caption: image.caption,
            location: image.location,
            data: FeedPlacesTests.bytes
        )
    }
}
