/// A value that a cache keeps, for those who make something from it and keep that, too.
package struct KeptValue: Sendable {
    private let entry: any AnyObject & Sendable
    private let keeper: any ValueKeeping

    package init(_ entry: any AnyObject & Sendable, in keeper: any ValueKeeping) {
        self.entry = entry
        self.keeper = keeper
    }

    /// The value, if it is that of a query.
    package func value<Q: Query>(answering query: Q) -> Q.Value? { keeper.value(of: entry, answering: query) }

    /// The forms that were made from the value.
    package var forms: ValueForms { keeper.forms(of: entry) }

    func noteUse(in record: inout DataUse.Record) { keeper.noteUse(of: entry, in: &record) }
}

/// A cache of values of one query.
package protocol ValueKeeping: AnyObject, Sendable {
    /// Returns the value of an entry, if it is that of a query.
    func value<Q: Query>(of entry: AnyObject, answering query: Q) -> Q.Value?

    func forms(of entry: AnyObject) -> ValueForms

    /// Notes what the value was made from.
    func noteUse(of entry: AnyObject, in record: inout DataUse.Record)
}
