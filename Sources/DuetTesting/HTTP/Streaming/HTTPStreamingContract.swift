#if HTTP

    package import DuetHTTP
    import Foundation
    package import HTTPTypes

    /// What every client that wraps another promises of bodies that come as they are read, clause by clause.
    package enum HTTPStreamingContract: CaseIterable, Sendable {
        /// While the server has sent no more than that.
        case `the first piece is there before the rest`
        /// The server answers when it has the first.
        case `the first piece of a request is sent before the rest`
        /// After what came before.
        case `a body that breaks off is an error for its reader`
        /// As a connection is closed.
        case `a reader that is cancelled lets go of the body`
        /// Though the body is still held.
        case `a reader that stops lets go of the body`
        /// Nobody has read any of it.
        case `a body that is dropped unread is let go of`
        /// For who asks for that.
        case `a body is whole`
        /// It is no answer then.
        case `a body that breaks off is no whole body`

        /// Checks the clause.
        ///
        /// - Parameters:
        ///   - fields: What the origin's answers say.
        ///   - wrap: The client under test, which sends with the one that it is given.
        /// - Throws: ``ContractViolation``.
        package func verify(
            fields: HTTPFields = [:],
            _ wrap: (_ origin: any HTTPClient) async throws -> any HTTPClient
        ) async throws {
            let breaks =
                self == .`a body that breaks off is an error for its reader`
                || self == .`a body that breaks off is no whole body`
            let origin = HeldOrigin(fields: fields, breaks: breaks)
            let subject = HTTPStreamingSubject(origin: origin, client: try await wrap(origin))
            switch self {
            case .`the first piece is there before the rest`: try await subject.streams()
            case .`the first piece of a request is sent before the rest`: try await subject.streamsUp()
            case .`a body that breaks off is an error for its reader`: try await subject.breaks()
            case .`a reader that is cancelled lets go of the body`: try await subject.isCancelled()
            case .`a reader that stops lets go of the body`: try await subject.stops()
            case .`a body that is dropped unread is let go of`: try await subject.drops()
            case .`a body is whole`: try await subject.sends()
            case .`a body that breaks off is no whole body`: try await subject.breaksWhole()
            }
        }
    }

#endif
