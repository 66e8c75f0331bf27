public import Foundation

/// Where the backend listens and what it serves.
public struct BackendOptions: Sendable {
    /// What an empty backend is filled with.
    public enum Seed: Sendable {
        /// The photographs that come with the program.
        case samples

        /// A folder with images and a manifest.
        case folder(URL)

        /// Nothing.
        case nothing
    }

    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 takes any that is free.
    public let port: Int

    /// The database file.
    public let database: URL

    /// The address that clients reach the backend at, where it is not the one they ask.
    public let publicURL: URL?

    /// Whether posting a comment takes a token, and is not open to everybody.
    public let closedComments: Bool

    /// What the backend is filled with; what is there already stays as it is.
    public let seed: Seed

    /// Makes options of their parts; listens on this machine only unless told otherwise.
    public init(
        host: String = "127.0.0.1",
        port: Int = 8080,
        database: URL,
        publicURL: URL? = nil,
        closedComments: Bool = false,
        seed: Seed = .samples
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.publicURL = publicURL
        self.closedComments = closedComments
        self.seed = seed
    }
}
