/// A page of the feed in the wire format.
struct HandWrittenPage: Encodable {
    let items: [HandWrittenItem]
}
