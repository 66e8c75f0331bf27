import Duet
public import DuetDependencies
import FeedFeature

/// The backend's registrations: its database, a handler for each of its messages, and what fills it.
///
/// It leaves open what the time is: `CurrentDate`.
public struct BackendModule: ContainerModule {
    private let database: String

    /// A backend that keeps everything in the database at a path, which is opened when it is first needed.
    public init(database path: String) {
        database = path
    }

    /// Registers the database, the handlers and the seeder.
    public func register(in builder: ContainerBuilder) {
        builder.singleton { [database] in try FeedDatabase(path: database) }
        builder.transient { (database: FeedDatabase, now: CurrentDate) in
            FeedSeeder(database: database, now: now.callAsFunction)
        }
        builder.commandQueryDispatch().standard(
            commandHandlers: [PublishImageHandler.self, RemoveImageHandler.self, PostImageCommentHandler.self],
            queryHandlers: [
                LoadPublishedImagesHandler.self, LoadPublishedImageDataHandler.self, IsImagePublishedHandler.self,
                LoadImageCommentsHandler.self,
            ],
            middleware: [.validation]
        )
    }
}
