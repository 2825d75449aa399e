/// The words of fake values, from many languages; none names a real person or town.
extension Fake {
  static let firstNames = words(
    """
    Ada Amir Anna Bela Bruno Carla Chidi Dana Diego Elif Emil Farid Fatima Greta Hana Hugo Ines Ivan Jana Jonas Kaja
    Kofi Lara Leon Lucia Malik Mara Milan Mina Nils Nora Olga Omar Paula Pedro Quinn Rafael Rosa Samir Sara Selma Simon
    Tara Theo Uma Vera Viktor Wanda Yara Yusuf Zoe
    """)

  static let lastNames = words(
    """
    Adler Bakker Baran Berg Blanc Bianchi Costa Dahl Diaz Egger Fischer Fontana Garcia Haas Hansen Horvat Ito Jansen Kaya
    Keller Kim Kovac Lang Larsen Lopez Mensah Meyer Moreau Nagy Novak Okafor Olsen Park Patel Petrov Rossi Sato Schmid
    Silva Singh Suzuki Tanaka Varga Vogel Wagner Weber Wolf Yilmaz Zeman
    """)

  static let cities = words(
    """
    Aberford Brookhaven Clearwater Dunmore Eastbridge Fairview Glenrock Hillcrest Ironwood Juniper Kingsmere Lakeside
    Maplewood Northgate Oakridge Pinehurst Quarry Riverton Stonefield Thornbury Underhill Valewood Westbrook Yarrow
    """)

  static let lorem = words(
    """
    lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna
    aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis aute
    irure in reprehenderit voluptate velit esse cillum fugiat nulla pariatur excepteur sint occaecat cupidatat non
    proident sunt culpa qui officia deserunt mollit anim id est laborum
    """)

  static let trades = words(
    "Bakery Books Brewery Design Garden Labs Logistics Media Motors Optics Press Studio Tools Works")

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map(String.init)
  }
}
