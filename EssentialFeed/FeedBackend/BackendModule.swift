import Duet
public import DuetDependencies
import FeedFeature

/// The backend's registrations: its database, a handler for each of its messages, and the seeder.
///
/// `CurrentDate` must be registered elsewhere.
public struct BackendModule: ContainerModule {
    private let database: String

    /// Creates the module for the database at a path, which is opened on first use.
    public init(database path: String) {
        database = path
    }

    /// Registers the database, the handlers and the seeder.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [database] in try FeedDatabase(path: database) }
        // For messages from within this process; each request has its own links.
        builder.singleton { ImageLinks(base: "http://localhost") }
        builder.transient { (database: FeedDatabase, now: CurrentDate) in
            FeedSeeder(database: database, now: now.callAsFunction)
        }
        builder.commandQueryDispatch().standard(
            commandHandlers: [
                PublishImageHandler.self, RemoveImageHandler.self, PostImageCommentHandler.self, KeepTokenHandler.self,
                RevokeTokenHandler.self,
            ],
            queryHandlers: [
                LoadFeedHandler.self, LoadPublishedImageDataHandler.self, IsImagePublishedHandler.self,
                LoadImageCommentsHandler.self, LoadTokensHandler.self, LoadTokenHolderHandler.self,
            ],
            middleware: [.validation]
        )
    }
}
