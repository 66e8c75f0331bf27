package import Duet
package import Foundation
package import HTTPTypes

/// A request that a server has received, and what only the server knows about it.
package protocol ServedRequest: Sendable {
    /// The method, the target and the fields.
    var head: HTTPRequest { get }

    /// The IP address of the client; nil if it is unknown, and for a client in this process.
    var address: String? { get }

    /// Reports when the client disconnects; nil if the server does not watch its connections, or cancels the task.
    var connection: (any ServedConnection)? { get }

    /// Reads the whole body.
    ///
    /// - Throws: ``ServedResponse`` if the server refuses the body, `CancellationError`, and any other error if the
    ///   connection has failed.
    func body(upTo limit: Int) async throws -> Data

    /// Releases the memory of a body that is not used anymore.
    func release(_ body: Data)

    func dispatcher() async throws -> any Dispatcher

    func log(_ event: HTTPServiceEvent)
}

package protocol ServedConnection: AnyObject, Sendable {
    /// Runs `action` when the client disconnects, and at once if it has, and returns an identifier for ``forget(_:)``.
    func whenGone(_ action: @escaping @Sendable () -> Void) -> Int?

    /// Removes an action whose work has ended.
    func forget(_ id: Int)

    /// Cancels the task of the connection if the client disconnects before ``endMessage()``.
    ///
    /// - Returns: False if it has disconnected, or the connection has no task that can be canceled.
    func beginMessage() -> Bool

    func endMessage()
}

/// The body of a request could not be read, because the connection failed or the client sent something that is not
/// HTTP.
package struct UnreadableBody: Error {
    package let underlying: any Error
}

/// The limit of a body that is read in pieces.
package struct BodyLimit: Sendable {
    private let announced: Int?
    private let limit: Int

    /// - Throws: A response with 413 if the sender announces more than `limit` bytes.
    package init(_ limit: Int, for head: HTTPRequest) throws(ServedResponse) {
        announced = head.headerFields[.contentLength].flatMap { Int($0) }
        self.limit = limit
        if let announced, announced > limit { throw tooLarge }
    }

    /// Checks that a piece of so many bytes fits after those that were read before.
    ///
    /// - Throws: A response with 413 if it does not.
    package func check(_ count: Int, after read: Int) throws(ServedResponse) {
        guard count <= limit - read else { throw tooLarge }
    }

    /// Checks that no bytes are missing.
    ///
    /// - Throws: `CancellationError`; a response with 400 if there are fewer bytes than announced.
    package func checkEnd(after read: Int) throws {
        // In a canceled task the pieces may end early without an error.
        try Task.checkCancellation()
        // They also end without an error when a server itself closes the connection to stop at once.
        guard let announced, read < announced else { return }
        throw ServedResponse(.badRequest, "The body ended after \(read) of \(announced) bytes.")
    }

    private var tooLarge: ServedResponse {
        ServedResponse(.contentTooLarge, "The body must have at most \(limit) bytes.")
    }
}
