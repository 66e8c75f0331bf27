import Foundation

struct Book: Codable, Hashable {
    let id: Int
    let title: String
    let published: Date

    static let emma = Book(id: 1, title: "Emma", published: Date(timeIntervalSince1970: 0.5))
}
