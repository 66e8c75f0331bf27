/// A store that is open, and what had to make way for it.
public struct OpenedStore<Store: Sendable>: Sendable {
    /// The store, ready for use.
    public let store: Store

    /// The store that was there before and could not be opened; nil when all was well.
    public let setAside: SetAsideStore?

    /// Makes a store; where there is one that cannot be used, moves it out of the way and makes a new one.
    ///
    /// - Parameters:
    ///   - make: Opens the store, or makes one where there is none.
    ///   - locations: Every file of the store.
    /// - Throws: The error of `make` when another content would not help, or that of the move.
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
