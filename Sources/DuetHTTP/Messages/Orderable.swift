/// A query with sorted results.
public protocol Orderable: HTTPQuery {
    /// The type of the order.
    associatedtype Order: Codable & Sendable

    /// The order of the results.
    var order: Order { get }
}
