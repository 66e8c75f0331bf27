/// A query whose results come in a chosen order.
public protocol Orderable: HTTPQuery {
    /// The orders that there are.
    associatedtype Order: Codable & Sendable

    /// The order that is wanted.
    var order: Order { get }
}
