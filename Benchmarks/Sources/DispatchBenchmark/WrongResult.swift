/// A measured loop returned a wrong result.
struct WrongResult: Error {
    let result: Int
    let expected: Int
}
