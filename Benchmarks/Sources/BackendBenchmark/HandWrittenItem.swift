/// An item of a page.
struct HandWrittenItem: Encodable {
    let id: String
    let description: String?
    let location: String?
    let image: String
}
