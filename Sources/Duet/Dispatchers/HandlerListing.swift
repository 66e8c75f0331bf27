/// A dispatcher that can tell which messages it has handlers for, before the first one comes.
package protocol HandlerListing {
    /// Whether there is a handler for the messages of the type with this identity.
    func hasHandler(for message: ObjectIdentifier) -> Bool
}
