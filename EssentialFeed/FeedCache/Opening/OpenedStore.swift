public import Foundation

/// An open store, and the unusable one that it replaced, if any.
public struct OpenedStore<Store: Sendable>: Sendable {
    /// The store, ready for use.
    public let store: Store

    /// The previous store, which could not be opened; nil when there was no such problem.
    public let setAside: SetAsideStore?

    /// Opens a store; if the existing one cannot be used, moves it out of the way and creates a new one.
    ///
    /// - Parameters:
    ///   - make: Opens the store, or creates one if there is none.
    ///   - locations: Every file of the store.
    /// - Throws: The error of `make` when a new file would not help, or the error of the move.
    package init(opening locations: StoreLocations, _ make: () throws -> Store) throws {
        do {
            store = try make()
            setAside = nil
        } catch let error as FeedStoreError where error.concernsContent {
            setAside = SetAsideStore(location: try locations.moveAside(), reason: error)
            store = try make()
        }
    }
}

/// A store that could not be opened, kept with its bytes under another name.
public struct SetAsideStore: Sendable {
    /// The current location of its bytes.
    public let location: URL

    /// The reason why it could not be opened.
    public let reason: FeedStoreError

    /// Creates a description of a store that was set aside.
    public init(location: URL, reason: FeedStoreError) {
        self.location = location
        self.reason = reason
    }
}

extension SetAsideStore: CustomStringConvertible {
    /// What happened, for the log and the screen.
    public var description: String {
        "The cache started anew, because the one there could not be used; it is kept as \(location.path). \(reason)"
    }
}
