public import Duet
import Foundation
import HTTPTypes

/// The values of a query, page by page, until a page has no next one; loaded while they are read.
///
/// An error is a ``PageError``, or a `CancellationError`.
public struct Pages<Query: HTTPQuery>: AsyncSequence, Sendable where Query.Value: Sendable {
    fileprivate let query: Query
    fileprivate let dispatcher: any QueryDispatcher
    fileprivate let next: LoadPage<Query>.Next?

    /// Begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Loads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pages: Pages
        fileprivate var known: Set<String> = []
        fileprivate var path: String?
        fileprivate var number = 0

        /// Loads the next page; nil after the last one.
        public mutating func next() async throws -> Query.Value? {
            guard number == 0 || path != nil else { return nil }
            number += 1
            do {
                if let path, known.contains(path) { throw InvalidPage(reason: "has been read before") }
                let page = try await pages.dispatcher.dispatch(
                    LoadPage(query: pages.query, path: path, next: pages.next)
                )
                known.insert(page.path)
                path = page.next
                return page.value
            } catch let error where !(error is CancellationError) {
                path = nil
                throw PageError(page: number, error: error)
            }
        }
    }
}

extension QueryDispatcher {
    /// Returns the values of a query at another server, which names the address of each next page.
    ///
    /// It is sent as it is, to the origin of the server only, and past a cache of values.
    ///
    /// - Parameters:
    ///   - query: The query of the first page.
    ///   - next: Returns the URL or path of the page after a value, and nil after the last one; by default that of a
    ///     `Link` field (RFC 8288).
    public func pages<Q: HTTPQuery>(
        of query: Q,
        next: (@Sendable (Q.Value) throws -> String?)? = nil
    ) -> Pages<Q> where Q.Value: Sendable {
        Pages(query: query, dispatcher: self, next: next)
    }
}

/// The error of one of the ``Pages``.
public struct PageError: Error, CustomStringConvertible {
    /// The number of the page, from 1.
    public let page: Int

    /// The error, as that of any query.
    public let error: any Error

    /// The number of the page, and the error.
    public var description: String { "page \(page): \(error)" }
}

struct InvalidPage: Error, CustomStringConvertible {
    let reason: String
    var description: String { "the address of the page \(reason)." }
}

/// A page of a query, which no cache of values knows.
private struct LoadPage<Q: HTTPQuery>: Query, RemotePage where Q.Value: Sendable {
    typealias Next = @Sendable (Q.Value) throws -> String?

    struct Value {
        let value: Q.Value
        let path: String
        /// The path and query of the next page; nil for the last one.
        let next: String?
    }

    static var messageName: String { Q.messageName }

    let query: Q
    let path: String?
    let next: Next?

    static func handler(_ handlers: RemoteHandlers) throws -> any AnyObject & Sendable {
        HandlerBox<Self>(Handler(base: try handlers.queryHandler(of: Q.self)))
    }

    struct Handler: QueryHandler {
        let base: RemoteQueryHandler<Q>

        @concurrent
        func handle(_ page: LoadPage) async throws -> Value {
            let (value, response) = try await base.load(page.query, at: page.path)
            let reference = try page.next.map { try $0(value) } ?? response.head.headerFields.link("next")
            let next = try reference.map { try base.exchange.path(of: $0, in: response) }
            return Value(value: value, path: response.path ?? "", next: next)
        }
    }
}

/// A ``LoadPage`` of any query.
protocol RemotePage {
    static func handler(_ handlers: RemoteHandlers) throws -> any AnyObject & Sendable
}
