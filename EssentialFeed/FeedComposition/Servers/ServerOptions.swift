import DuetHTTP
public import FeedBackend
public import Foundation

/// The options of the backend.
public struct BackendOptions: Sendable {
    /// The initial content of the backend.
    public enum Seed: Sendable {
        /// The program's own photographs.
        case samples

        /// A folder with images and a manifest.
        case folder(URL)

        /// Nothing.
        case nothing
    }

    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 for any free one.
    public let port: Int

    /// The database file.
    public let database: URL

    /// The public URL of the backend, if it differs from the requested one.
    public let publicURL: URL?

    /// Whether posting a comment requires a token.
    public let closedComments: Bool

    /// How many comments a token, or an address without one, may post in a minute.
    public let commentsPerMinute: Int

    /// The IP addresses of page servers, which limit their readers themselves and have no quota.
    public let pageServers: Set<String>

    /// Whether everyone who can reach the server may read its metrics, and not only requests from this machine.
    public let exposesMetrics: Bool

    /// The initial content; existing content remains as it is.
    public let seed: Seed

    /// Whether smaller versions of the images are made, which needs the program `vipsthumbnail`.
    public let resizesImages: Bool

    /// Whether a text is an IP address, as ``pageServers`` contains them.
    public static func isAddress(_ text: String) -> Bool { IPAddress(text) != nil }

    /// Creates options; by default the server listens on this machine only.
    public init(
        host: String = "127.0.0.1",
        port: Int = 8080,
        database: URL,
        publicURL: URL? = nil,
        closedComments: Bool = false,
        commentsPerMinute: Int = BackendModule.commentsPerMinute,
        pageServers: Set<String> = [],
        exposesMetrics: Bool = false,
        seed: Seed = .samples,
        resizesImages: Bool = true
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.publicURL = publicURL
        self.closedComments = closedComments
        self.commentsPerMinute = commentsPerMinute
        self.pageServers = pageServers
        self.exposesMetrics = exposesMetrics
        self.seed = seed
        self.resizesImages = resizesImages
    }
}

/// The options of the page server.
public struct WebOptions: Sendable {
    /// The address to listen on.
    public let host: String

    /// The port to listen on; 0 for any free one.
    public let port: Int

    /// The public address of the pages, behind a server that forwards requests to this one; nil without one.
    public let publicURL: URL?

    /// As ``BackendOptions/exposesMetrics``.
    public let exposesMetrics: Bool

    /// The token with which developers on this machine can see what the page is doing, at `/inspect?token=`; nil to
    /// show nothing.
    public let inspectToken: String?

    /// Creates options; by default the server listens on this machine only.
    public init(
        host: String = "127.0.0.1",
        port: Int = 8000,
        publicURL: URL? = nil,
        exposesMetrics: Bool = false,
        inspectToken: String? = nil
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.exposesMetrics = exposesMetrics
        self.inspectToken = inspectToken
    }
}
