/// An error of a store that may mean that others removed a response while it was stored or read.
package protocol TellingRemoval: Error {
    /// Whether it means that, which says nothing about the store.
    var isOfRemovedResponse: Bool { get }
}
